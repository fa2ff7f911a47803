import LatchkeyCore
import LatchkeyModel

/// The transition table of the shipped reducer by kinds of events and states, as far as explorations reach
/// them.
package struct SessionTransitions: Sendable {
    /// A row of the table: the states in which an event has the same outcome.
    package struct Row: Sendable, Hashable {
        package let event: String
        package let detail: String
        package let states: String
        package let becomes: String
        package let effects: String
    }

    /// The rows, ordered by event.
    package let rows: [Row]

    /// Whether all worlds within the bounds were visited without a violation.
    package let isComplete: Bool

    /// Explores all worlds within the bounds and records the transitions.
    ///
    /// - Parameters:
    ///   - spaces: The bounds of each exploration.
    ///   - workers: The number of threads.
    package init(in spaces: [ExplorerBounds], workers: Int = 1) {
        let collection = Locked(SeenTransitions())
        let watched: ExploredWorld.Reducer = { machine, event in
            let before = machine
            let effects = machine.reduce(event)
            let after = machine
            collection.withLock { $0.add(event, before, after, effects) }
            return effects
        }
        isComplete = spaces.allSatisfy {
            SessionExplorer($0, reducer: watched).search(workers: workers).isComplete
        }
        rows = collection.withLock { $0.rows }
    }
}
