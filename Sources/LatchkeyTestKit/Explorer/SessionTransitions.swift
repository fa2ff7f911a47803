import LatchkeyCore
import LatchkeyModel

/// What the shipped reducer does with each kind of event in each kind of state, as far as worlds within bounds come to it.
package struct SessionTransitions: Sendable {
    /// A row of the table: in all these states an event has this outcome.
    package struct Row: Sendable, Hashable {
        package let event: String
        package let detail: String
        package let states: String
        package let becomes: String
        package let effects: String
    }

    /// The rows, event by event.
    package let rows: [Row]

    /// Whether all worlds within the bounds were looked at, and nothing was violated.
    package let isComplete: Bool

    /// Watches the reducer in all worlds within bounds.
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
