/// A bounded model checker for the session machine.
package typealias SessionExplorer = StateExplorer<ModelState>

/// A bounded model checker for a state machine.
///
/// The explorer tries all interleavings of processes, callers, store, server and network within bounds, and
/// looks for violations of the invariants. The search is breadth-first, so it always finds one of the
/// shortest traces to a violation. States that differ only in names and counters are treated as one state;
/// see ``ExplorerModel/canonical``.
package struct StateExplorer<Model: ExplorerModel>: Sendable {
    /// The result of a search.
    package struct Report: Sendable {
        /// The number of states within the bounds, regardless of names and remaining budgets.
        package var states = 0
        /// The number of visits.
        ///
        /// A state is visited again if no earlier budget covers the new one.
        package var visits = 0
        /// The number of steps that were applied.
        package var steps = 0
        /// The depth of the search: the largest number of steps needed to reach any state.
        package var depth = 0
        /// Whether all states within the bounds were visited.
        package var isComplete = false
        /// The violation and one of the shortest traces that cause it, or `nil` if no violation was found.
        ///
        /// Process and caller numbers stay the same throughout the trace, so a trace type such as
        /// ``SessionTrace`` can replay the steps.
        package var violation: (what: Model.Violation, trace: [Model.Step])?

        /// The probability that different states were mistaken for one because their 64-bit keys are equal.
        ///
        /// We use the birthday bound, which is n² / 2⁶⁵ for n states.
        package var collisionProbability: Double { Double(states) * Double(states) / 0x1p65 }
    }

    private let bounds: Model.Bounds
    private let reducer: Model.Reducer

    /// Creates an explorer.
    ///
    /// - Parameters:
    ///   - bounds: The numbers of processes, callers and steps.
    ///   - reducer: The transition function, which is either the production function or a mutant that wraps
    ///     it.
    package init(_ bounds: Model.Bounds, reducer: Model.Reducer = Model.shipped) {
        (self.bounds, self.reducer) = (bounds, reducer)
    }

    /// Searches the states within the bounds until it finds a violation.
    ///
    /// The limit and `progress` are only checked between depths, so a search can exceed the limit by the
    /// number of visits at one depth. `progress` is called on the calling thread.
    ///
    /// - Parameters:
    ///   - workers: The number of threads, which doesn't affect the result. With 1, only the calling thread
    ///     is used.
    ///   - limit: The number of visits after which the search stops.
    ///   - counter: Counts the distinct states across several searches.
    ///   - progress: A closure that is called after each depth and returns whether to continue.
    /// - Returns: A report, whose `isComplete` property is `false` if the search was ended by a violation,
    ///   the limit or `progress`.
    package func search(
        workers: Int = 1,
        limit: Int = .max,
        counter: StateCounter? = nil,
        progress: (Report) -> Bool = { _ in true }
    ) -> Report {
        var report = Report()
        let search = StateSearch<Model>(bounds, reducer: reducer, workers: max(workers, 1), counter: counter)
        var depth = search.start()
        while !depth.isEmpty {
            let (next, steps, failure) = search.advance(depth)
            report.steps += steps
            (report.states, report.visits) = (search.states, search.visits)
            if let failure {
                report.violation = (
                    failure.what, trace(search.steps(to: failure.parent), endingIn: failure.what)
                )
                return report
            }
            if !next.isEmpty { report.depth += 1 }
            if !progress(report) || report.visits > limit, !next.isEmpty { return report }
            depth = next
        }
        report.isComplete = true
        return report
    }

    /// Converts the given step indices into the trace of a single run.
    ///
    /// The indices refer to canonical states, in which processes can be renumbered. In the trace, each
    /// process keeps its number throughout. For each index, we add the first step that leads to the same
    /// canonical form and remaining budget.
    private func trace(_ indices: [Int], endingIn violation: Model.Violation) -> [Model.Step] {
        var trace: [Model.Step] = []
        var state = Model(bounds)
        var (form, budget) = (state.canonical, bounds)
        for index in indices {
            var next = Model(canonical: form[...], budget: budget)
            try? next.apply(next.steps[index], with: reducer)
            (form, budget) = (next.canonical, next.budget)
            for step in state.steps {
                var after = state
                try? after.apply(step, with: reducer)
                guard after.budget == budget, after.canonical == form else { continue }
                state = after
                trace.append(step)
                break
            }
        }
        let last = state.steps.first { step in
            var after = state
            do throws(Model.Violation) {
                try after.apply(step, with: reducer)
                try after.check()
                return false
            } catch {
                return error == violation
            }
        }
        return trace + (last.map { [$0] } ?? [])
    }
}
