import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension PostgreSQLConnection {
    /// Ends the last unit in the pipeline and blocks until its result arrives.
    ///
    /// - Parameter deadline: The time at which to stop waiting and abandon the connection; `nil` for no
    ///   limit.
    /// - Returns: The outcome of the last statement of the unit.
    /// - Throws: The first failure of a statement in the unit, or a failure of the connection.
    func finishUnit(by deadline: ContinuousClock.Instant?) throws(PostgreSQLFailure) -> StatementOutcome {
        try endUnit()
        while true {
            let isSent = try flush()
            if let result = try nextUnit() { return try result.get() }
            try wait(forRoom: !isSent, by: deadline)
            let isOpen = receiveInput()
            if !isOpen {
                if let result = try nextUnit() { return try result.get() }
                throw .connectionLost
            }
        }
    }

    /// Appends a statement to the pipeline, ends the unit and blocks until its result arrives.
    ///
    /// The unit also includes all statements that were appended since the previous unit ended. The result is
    /// the outcome of the last statement.
    ///
    /// - Throws: The first failure in the unit, or a failure with the effect `connection` if there is no
    ///   answer by the deadline.
    func run(
        _ sql: SQL,
        _ values: [SQLValue] = [],
        by deadline: ContinuousClock.Instant?
    ) throws(PostgreSQLFailure) -> StatementOutcome {
        try append(sql, values)
        return try finishUnit(by: deadline)
    }

    /// Blocks until the socket is readable, or writable if `forRoom` is set.
    private func wait(forRoom: Bool, by deadline: ContinuousClock.Instant?) throws(PostgreSQLFailure) {
        var descriptor = pollfd(
            fd: socket,
            events: Int16(POLLIN) | (forRoom ? Int16(POLLOUT) : 0),
            revents: 0
        )
        while true {
            let count = poll(&descriptor, 1, deadline?.pollTimeout ?? -1)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .connectionLost }
            if let deadline, deadline <= .now { throw .answerTimedOut }
        }
    }
}

extension ContinuousClock.Instant {
    /// The time until the instant in milliseconds, as the timeout for `poll`.
    ///
    /// The time is rounded up and never negative, because a negative timeout would mean no limit.
    var pollTimeout: Int32 {
        let (seconds, fraction) = (self - .now).components
        return seconds < 0 ? 0 : Int32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000 + 1)
    }
}
