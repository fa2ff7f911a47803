import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What other threads put before the reading thread, and what wakes it.
final class PostgreSQLMailbox: Sendable {
    /// A connection on its way from the thread that made it.
    ///
    /// `@unchecked Sendable`: the giver keeps nothing of it.
    struct Arrival: @unchecked Sendable {
        let connection: Result<PostgreSQLConnection, DatabaseError>
    }

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

    /// What to poll.
    let wakeEnd: Int32

    private let ringEnd: Int32
    private let capacity: Int
    private let state = Locked(State())

    init(capacity: Int) throws(DatabaseError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw DatabaseError(.unavailable, "The system gives no pipe (errno \(errno)).")
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

    /// - Returns: Why the read is not taken in, if it is not.
    func put(_ read: PostgreSQLRead) -> DatabaseError? {
        post { state in
            if state.mail.isClosed { return .closed }
            guard state.waiting < capacity else {
                return DatabaseError(.overloaded, "Too many reads wait.")
            }
            state.waiting += 1
            state.mail.reads.append(read)
            return nil
        }
    }

    /// How many reads have no answer yet.
    var waiting: Int { state.withLock { $0.waiting } }

    func put(_ arrival: Arrival) {
        post { $0.mail.arrivals.append(arrival) }
    }

    /// Takes no more reads.
    func end() {
        post { $0.mail.isClosed = true }
    }

    private func post<Outcome>(_ change: (inout State) -> Outcome) -> Outcome {
        let (outcome, rings) = state.withLock { state in
            let outcome = change(&state)
            defer { state.isAsleep = false }
            return (outcome, state.isAsleep)
        }
        if rings { _ = write(ringEnd, [1], 1) }
        return outcome
    }

    /// Takes what has come.
    ///
    /// - Parameter answered: How many reads have got their answers since the last time.
    /// - Returns: The mail; from now on the next one rings if there is none.
    func take(answered: Int) -> Mail {
        state.withLock { state in
            state.waiting -= answered
            let mail = state.mail
            state.mail = Mail(isClosed: mail.isClosed)
            state.isAsleep = true
            return mail
        }
    }

    /// Empties the pipe.
    func silence() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeEnd, &bytes, bytes.count) > 0 {}
    }
}
