import LatchkeyCore

/// Searches all that can happen to the session of an app's processes, within bounds, for what must never happen.
///
/// Breadth first, so that a trace that it finds is a shortest one. Worlds that differ in names alone count once.
package struct SessionExplorer: Sendable {
    /// What a search found.
    package struct Report: Sendable {
        /// How many worlds there are within the bounds, up to names.
        package var worlds = 0
        /// How many steps were tried.
        package var steps = 0
        /// The most steps from the beginning to any world.
        package var depth = 0
        /// Whether the search ended because it had seen all.
        package var isComplete = false
        /// What must never happen, and the shortest way there.
        package var violation: (what: ExploredViolation, trace: [ExploredStep])?
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
    ///   - limit: How many worlds to look at before giving up.
    ///   - progress: Told after each depth.
    /// - Returns: What was found.
    package func search(
        limit: Int = .max,
        progress: (Report) -> Void = { _ in }
    ) -> Report {
        var report = Report()
        var seen: Set<Int> = []
        // For each world in the order of discovery: the one before it, and the step between.
        var origins: [(parent: Int32, step: ExploredStep)] = []
        let start = ExploredWorld(bounds)
        var frontier: [(number: Int32, world: ExploredWorld)] = [(-1, start)]
        seen.insert(start.canonicalHash)
        while !frontier.isEmpty {
            var next: [(number: Int32, world: ExploredWorld)] = []
            for (number, world) in frontier {
                for step in world.steps {
                    report.steps += 1
                    var after = world
                    do throws(ExploredViolation) {
                        try after.apply(step, reducer)
                        try after.check()
                    } catch {
                        report.violation = (error, trace(to: number, origins) + [step])
                        report.worlds = seen.count
                        return report
                    }
                    guard seen.insert(after.canonicalHash).inserted else { continue }
                    origins.append((number, step))
                    next.append((Int32(origins.count - 1), after))
                }
            }
            report.worlds = seen.count
            report.depth += 1
            progress(report)
            if seen.count > limit { return report }
            frontier = next
        }
        report.isComplete = true
        return report
    }

    private func trace(
        to number: Int32,
        _ origins: [(parent: Int32, step: ExploredStep)]
    ) -> [ExploredStep] {
        var steps: [ExploredStep] = []
        var number = number
        while number >= 0 {
            steps.append(origins[Int(number)].step)
            number = origins[Int(number)].parent
        }
        return steps.reversed()
    }
}
