import LatchkeyCore

/// A bounded model checker of the session engine's state machine.
///
/// It explores all interleavings of processes, callers, store, server and network within bounds, and looks
/// for violations of the invariants. The search is breadth first, so that a trace to a violation is a
/// shortest one. Worlds that differ only in names and counters count once; see ``ExploredWorld/canonical``.
package struct SessionExplorer: Sendable {
    /// The result of a search.
    package struct Report: Sendable {
        /// The number of worlds within the bounds, up to names and remaining budgets.
        package var worlds = 0
        /// The number of visits; a world is visited again with a budget that no earlier one covers.
        package var visits = 0
        /// The number of steps that were applied.
        package var steps = 0
        /// The maximum number of steps from the start to a world.
        package var depth = 0
        /// Whether all worlds within the bounds were visited.
        package var isComplete = false
        /// The violation that was found, and a shortest trace to it; `nil` if there is none.
        package var violation: (what: ExploredViolation, trace: [ExploredStep])?

        /// The probability that two worlds were mistaken for one because their 64-bit keys are equal.
        package var chanceOfCollision: Double { Double(worlds) * Double(worlds) / 0x1p65 }
    }

    private let bounds: ExplorerBounds
    private let reducer: ExploredWorld.Reducer

    /// Creates an explorer.
    ///
    /// - Parameters:
    ///   - bounds: The numbers of processes, callers and steps.
    ///   - reducer: The transition function; the shipped one unless a mutant wraps it.
    package init(_ bounds: ExplorerBounds, reducer: @escaping ExploredWorld.Reducer = { $0.reduce($1) }) {
        (self.bounds, self.reducer) = (bounds, reducer)
    }

    /// Searches the worlds within the bounds until a violation is found.
    ///
    /// - Parameters:
    ///   - workers: The number of threads; 1 uses only the calling thread. The result does not depend on it.
    ///   - limit: The number of visits after which the search stops.
    ///   - tally: Counts the distinct worlds of several searches.
    ///   - progress: Called after each depth; returns whether to continue.
    /// - Returns: The result; its `isComplete` is `false` after a violation, a limit or an end by `progress`.
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

    /// Translates step indices in canonical worlds to a trace in one world, in which processes keep their
    /// numbers.
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
