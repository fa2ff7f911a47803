import LatchkeyModel
import LatchkeyServerKit

/// The input queue of the thread that performs reads, with a pipe that wakes up the thread.
///
/// Any thread can append items, but only the reading thread may remove them and drain the pipe.
final class PostgreSQLReadInbox: Sendable {
    /// A connection that another thread has opened on behalf of the reading thread.
    ///
    /// The type is `@unchecked Sendable` because the sending thread doesn't keep a reference to the
    /// connection.
    struct OpenedConnection: @unchecked Sendable {
        /// The connection, or the error thrown while opening it.
        let result: Result<PostgreSQLConnection, DatabaseError>
    }

    struct Contents: Sendable {
        /// The new reads, in the order in which they were appended.
        var reads: [PostgreSQLRead] = []
        /// The connection attempts that have finished since the inbox was last emptied.
        var openedConnections: [OpenedConnection] = []
        /// Whether the queue has been closed.
        ///
        /// Any remaining items must still be processed.
        var isClosed = false
    }

    private struct State: Sendable {
        var contents = Contents()
        /// The number of unanswered reads.
        ///
        /// ``PostgreSQLReadInbox/takeContents(answered:)`` subtracts the number of answered reads.
        var waiting = 0
        /// Whether the reading thread must be woken up when an item is appended.
        var isConsumerWaiting = false
    }

    private let wake: WakePipe
    private let capacity: Int
    private let state = Locked(State())

    /// Creates an empty queue that holds at most `capacity` unanswered reads.
    ///
    /// Throws `unavailable` if no pipe can be created.
    init(capacity: Int) throws(DatabaseError) {
        wake = try WakePipe()
        self.capacity = capacity
    }

    /// The descriptor that the reading thread passes to `poll`.
    var wakeDescriptor: Int32 { wake.reading }

    /// Appends a read.
    ///
    /// - Returns: An error if the queue is full or closed, or `nil` if the read was appended.
    func append(_ read: PostgreSQLRead) -> DatabaseError? {
        update { state in
            if state.contents.isClosed { return .closed }
            guard state.waiting < capacity else {
                return DatabaseError(.overloaded, message: "The read queue is full.")
            }
            state.waiting += 1
            state.contents.reads.append(read)
            return nil
        }
    }

    /// The number of unanswered reads, including the ones that the reading thread has already removed from
    /// the queue.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Appends the result of a connection attempt.
    func append(_ connection: OpenedConnection) {
        update { $0.contents.openedConnections.append(connection) }
    }

    /// Closes the queue.
    ///
    /// New reads are rejected from now on.
    func finish() {
        update { $0.contents.isClosed = true }
    }

    /// Changes the state while holding the lock and wakes up the reading thread if it may be waiting.
    private func update<Outcome>(_ change: (inout State) -> Outcome) -> Outcome {
        let (outcome, mustWake) = state.withLock { state in
            let outcome = change(&state)
            defer { state.isConsumerWaiting = false }
            return (outcome, state.isConsumerWaiting)
        }
        if mustWake { wake.signal() }
        return outcome
    }

    /// Removes and returns everything in the queue.
    ///
    /// - Parameter answered: The number of reads that have been answered since the previous call.
    /// - Returns: The items that were in the queue. When another item is appended, the thread is woken up.
    func takeContents(answered: Int) -> Contents {
        state.withLock { state in
            state.waiting -= answered
            let contents = state.contents
            state.contents = Contents(isClosed: contents.isClosed)
            state.isConsumerWaiting = true
            return contents
        }
    }

    /// Empties the pipe after the thread has been woken up.
    func drainWakePipe() {
        wake.drain()
    }
}
