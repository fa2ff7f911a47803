import LatchkeyCore
import LatchkeyModel

/// The production reducer's transition table, which covers every kind of event and state that occurred
/// during explorations.
package struct SessionTransitions: Sendable {
    /// A row in the transition table.
    ///
    /// Each row lists the states in which an event has the same outcome.
    package struct Row: Sendable, Hashable {
        /// The kind of event.
        package let event: String
        /// An attribute of the event that depends on the machine's state, such as "from an earlier epoch".
        package let detail: String
        /// The kinds of states in which the event has this outcome.
        package let states: String
        /// The kind of state after the event.
        package let becomes: String
        /// The effects that the machine requests, in order.
        package let effects: String
    }

    /// The rows, ordered by event.
    package let rows: [Row]

    /// Whether all states within the bounds were visited without finding a violation.
    package let isComplete: Bool

    /// Explores all states within the bounds and records the transitions.
    ///
    /// The spaces are explored in order, until a violation is found in one of them. The recorded transitions
    /// are the same for any number of workers.
    ///
    /// - Parameters:
    ///   - spaces: The bounds of each exploration.
    ///   - workers: The number of threads.
    package init(in spaces: [ExplorerBounds], workers: Int = 1) {
        let recorder = Locked(TransitionRecorder())
        let recording: ModelState.Reducer = { machine, event in
            let before = machine
            let effects = machine.reduce(event)
            let after = machine
            recorder.withLock { $0.record(event, from: before, to: after, effects: effects) }
            return effects
        }
        isComplete = spaces.allSatisfy {
            SessionExplorer($0, reducer: recording).search(workers: workers).isComplete
        }
        rows = recorder.withLock { $0.rows }
    }
}
