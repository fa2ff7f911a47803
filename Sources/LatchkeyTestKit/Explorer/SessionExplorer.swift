import LatchkeyCore

/// Searches all that can happen to the session of an app's processes, within bounds, for what must never happen.
///
/// Breadth first, so that a trace that it finds is a shortest one. Worlds that differ in names and counters alone count
/// once; see ``ExploredWorld/canonical``.
package struct SessionExplorer: Sendable {
    /// What a search found.
    package struct Report: Sendable {
        /// How many worlds there are within the bounds, up to names and to what may still happen.
        package var worlds = 0
        /// How often one was looked at: again when more may happen in it than before.
        package var visits = 0
        /// How many steps were tried.
        package var steps = 0
        /// The most steps from the beginning to any world.
        package var depth = 0
        /// Whether the search ended because it had seen all.
        package var isComplete = false
        /// What must never happen, and the shortest way there.
        package var violation: (what: ExploredViolation, trace: [ExploredStep])?

        /// The chance that two worlds were taken for one because their keys of 64 bits are the same.
        package var chanceOfCollision: Double { Double(worlds) * Double(worlds) / 0x1p65 }
    }

    private let bounds: ExplorerBounds
    private let reducer: ExploredWorld.Reducer

    /// Creates an explorer.
    ///
    /// - Parameters:
    ///   - bounds: How much may happen.
    ///   - reducer: What decides; the shipped reducer unless a mutant wraps it.
    package init(_ bounds: ExplorerBounds, reducer: @escaping ExploredWorld.Reducer = { $0.reduce($1) }) {
        (self.bounds, self.reducer) = (bounds, reducer)
    }

    /// Searches.
    ///
    /// - Parameters:
    ///   - workers: How many threads work at it; what is found does not depend on it. One means the caller's own.
    ///   - limit: How many visits to make before giving up.
    ///   - tally: Counts the worlds of several searches together.
    ///   - progress: Told after each depth; says whether to go on.
    /// - Returns: What was found.
    package func search(
        workers: Int = 1,
        limit: Int = .max,
        tally: WorldTally? = nil,
        progress: (Report) -> Bool = { _ in true }
    ) -> Report {
        var report = Report()
        let search = WorldSearch(bounds, reducer, workers: max(workers, 1), tally: tally)
        var depth = search.start()
        while !depth.isEmpty {
            let (next, steps, failure) = search.advance(depth)
            report.steps += steps
            (report.worlds, report.visits) = (search.worlds, search.visits)
            if let failure {
                report.violation = (failure.what, trace(search.steps(to: failure.parent), failure.what))
                return report
            }
            if !next.isEmpty { report.depth += 1 }
            if !progress(report) || report.visits > limit, !next.isEmpty { return report }
            depth = next
        }
        report.isComplete = true
        return report
    }

    /// Tells a way through canonical worlds as it goes in one world, whose processes keep their numbers.
    private func trace(_ indices: [Int], _ what: ExploredViolation) -> [ExploredStep] {
        var trace: [ExploredStep] = []
        var world = ExploredWorld(bounds)
        var (form, budget) = (world.canonical, bounds)
        for index in indices {
            var next = ExploredWorld(canonical: form, budget: budget)
            try? next.apply(next.steps[index], reducer)
            (form, budget) = (next.canonical, next.budget)
            for step in world.steps {
                var after = world
                try? after.apply(step, reducer)
                guard after.budget == budget, after.canonical == form else { continue }
                world = after
                trace.append(step)
                break
            }
        }
        let last = world.steps.first { step in
            var after = world
            do throws(ExploredViolation) {
                try after.apply(step, reducer)
                try after.check()
                return false
            } catch {
                return error == what
            }
        }
        return trace + (last.map { [$0] } ?? [])
    }
}
