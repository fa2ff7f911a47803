import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The input queue of the reading thread, with a pipe that wakes the thread.
final class PostgreSQLMailbox: Sendable {
    /// A connection that another thread opened for the reading thread.
    ///
    /// `@unchecked Sendable`: the sending thread keeps no reference to the connection.
    struct Arrival: @unchecked Sendable {
        let connection: Result<PostgreSQLConnection, DatabaseError>
    }

    /// The contents of the queue.
    struct Mail: Sendable {
        var reads: [PostgreSQLRead] = []
        var arrivals: [Arrival] = []
        var isClosed = false
    }

    private struct State: Sendable {
        var mail = Mail()
        var waiting = 0
        var isAsleep = false
    }

    /// The reading end of the pipe, for `poll`.
    let wakeEnd: Int32

    /// The writing end of the pipe.
    private let ringEnd: Int32
    private let capacity: Int
    private let state = Locked(State())

    /// Creates an empty queue.
    ///
    /// `capacity` is the maximum number of reads without an answer. Throws `unavailable` if no pipe can be
    /// created.
    init(capacity: Int) throws(DatabaseError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw DatabaseError(.unavailable, message: "The system cannot create a pipe (errno \(errno)).")
        }
        (wakeEnd, ringEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        self.capacity = capacity
    }

    deinit {
        close(wakeEnd)
        close(ringEnd)
    }

    /// Appends a read.
    ///
    /// - Returns: The error if the read is rejected because the queue is full or closed, else `nil`.
    func put(_ read: PostgreSQLRead) -> DatabaseError? {
        post { state in
            if state.mail.isClosed { return .closed }
            guard state.waiting < capacity else {
                return DatabaseError(.overloaded, message: "The queue of reads is full.")
            }
            state.waiting += 1
            state.mail.reads.append(read)
            return nil
        }
    }

    /// The number of reads without an answer, including those that the thread has taken.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Appends the result of a connection attempt.
    func put(_ arrival: Arrival) {
        post { $0.mail.arrivals.append(arrival) }
    }

    /// Closes the queue for new reads.
    func end() {
        post { $0.mail.isClosed = true }
    }

    /// Changes the state under the lock, and wakes the thread if it may be waiting.
    private func post<Outcome>(_ change: (inout State) -> Outcome) -> Outcome {
        let (outcome, rings) = state.withLock { state in
            let outcome = change(&state)
            defer { state.isAsleep = false }
            return (outcome, state.isAsleep)
        }
        if rings { _ = write(ringEnd, [1], 1) }
        return outcome
    }

    /// Removes and returns the contents.
    ///
    /// - Parameter answered: The number of reads that were answered since the last call.
    /// - Returns: The contents; the next item that is appended wakes the thread.
    func take(answered: Int) -> Mail {
        state.withLock { state in
            state.waiting -= answered
            let mail = state.mail
            state.mail = Mail(isClosed: mail.isClosed)
            state.isAsleep = true
            return mail
        }
    }

    /// Empties the pipe after a wake-up.
    func silence() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeEnd, &bytes, bytes.count) > 0 {}
    }
}
