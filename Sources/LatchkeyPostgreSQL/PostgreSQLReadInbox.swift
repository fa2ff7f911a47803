import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The input queue of the reading thread, with a pipe that wakes the thread.
///
/// Any thread can append items, but only the reading thread takes the contents and drains the pipe.
final class PostgreSQLReadInbox: Sendable {
    /// A connection that another thread opened for the reading thread.
    ///
    /// The type is `@unchecked Sendable` because the sending thread does not keep a reference to the
    /// connection.
    struct OpenedConnection: @unchecked Sendable {
        /// The connection, or the error from the attempt to open it.
        let result: Result<PostgreSQLConnection, DatabaseError>
    }

    /// The contents of the queue.
    struct Contents: Sendable {
        /// The new reads, in the order in which they were appended.
        var reads: [PostgreSQLRead] = []
        /// The results of connection attempts that ended since the last call.
        var openedConnections: [OpenedConnection] = []
        /// Whether the queue is closed, in which case its contents must still be processed.
        var isClosed = false
    }

    /// The state of the queue, which is accessed under a lock.
    private struct State: Sendable {
        var contents = Contents()
        /// The number of unanswered reads, from which ``PostgreSQLReadInbox/takeContents(answered:)``
        /// subtracts the answered ones.
        var waiting = 0
        /// Whether the reading thread must be woken for the next item.
        var isConsumerWaiting = false
    }

    /// The read end of the pipe, which `poll` waits for.
    let wakeDescriptor: Int32

    /// The write end of the pipe.
    private let signalDescriptor: Int32
    /// The maximum number of unanswered reads.
    private let capacity: Int
    private let state = Locked(State())

    /// Creates an empty queue.
    ///
    /// `capacity` is the maximum number of unanswered reads. The call throws `unavailable` if no pipe can be
    /// created.
    init(capacity: Int) throws(DatabaseError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw DatabaseError(.unavailable, message: "The system cannot create a pipe (errno \(errno)).")
        }
        (wakeDescriptor, signalDescriptor) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        self.capacity = capacity
    }

    deinit {
        close(wakeDescriptor)
        close(signalDescriptor)
    }

    /// Appends a read.
    ///
    /// - Returns: The error if the read is rejected because the queue is full or closed, and `nil` otherwise.
    func append(_ read: PostgreSQLRead) -> DatabaseError? {
        update { state in
            if state.contents.isClosed { return .closed }
            guard state.waiting < capacity else {
                return DatabaseError(.overloaded, message: "The queue of reads is full.")
            }
            state.waiting += 1
            state.contents.reads.append(read)
            return nil
        }
    }

    /// The number of unanswered reads, including reads that the thread has already taken.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Appends the result of a connection attempt.
    func append(_ connection: OpenedConnection) {
        update { $0.contents.openedConnections.append(connection) }
    }

    /// Closes the queue for new reads.
    func finish() {
        update { $0.contents.isClosed = true }
    }

    /// Changes the state while holding the lock, and wakes the thread if it may be waiting.
    private func update<Outcome>(_ change: (inout State) -> Outcome) -> Outcome {
        let (outcome, mustWake) = state.withLock { state in
            let outcome = change(&state)
            defer { state.isConsumerWaiting = false }
            return (outcome, state.isConsumerWaiting)
        }
        if mustWake { _ = write(signalDescriptor, [1], 1) }
        return outcome
    }

    /// Removes and returns the contents of the queue.
    ///
    /// - Parameter answered: The number of reads that were answered since the last call.
    /// - Returns: The contents. The thread is woken when the next item is appended.
    func takeContents(answered: Int) -> Contents {
        state.withLock { state in
            state.waiting -= answered
            let contents = state.contents
            state.contents = Contents(isClosed: contents.isClosed)
            state.isConsumerWaiting = true
            return contents
        }
    }

    /// Empties the pipe after a wake-up.
    func drainWakePipe() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeDescriptor, &bytes, bytes.count) > 0 {}
    }
}
