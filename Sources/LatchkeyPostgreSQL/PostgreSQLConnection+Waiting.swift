import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension PostgreSQLConnection {
    /// Ends the current unit of the pipeline and blocks until its result arrives.
    ///
    /// - Parameter deadline: When to stop waiting and give up on the connection, or `nil` to wait forever.
    /// - Returns: The outcome of the last statement in the unit.
    /// - Throws: The first error from a statement in the unit, or an error if the connection failed.
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
    /// Any statements that were appended since the end of the previous unit also belong to this unit. The
    /// result is the outcome of the last statement.
    ///
    /// - Throws: The first failure in the unit. If the deadline passes without an answer, the failure has the
    ///   effect `connection`.
    func run(
        _ sql: SQL,
        _ values: [SQLValue] = [],
        by deadline: ContinuousClock.Instant?
    ) throws(PostgreSQLFailure) -> StatementOutcome {
        try append(sql, values)
        return try finishUnit(by: deadline)
    }

    /// Blocks until the socket is readable, or until it is readable or writable if `forRoom` is `true`.
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
    /// The number of milliseconds until this instant, for use as a timeout for `poll`.
    ///
    /// The value is rounded up and never negative, because `poll` treats a negative timeout as no limit.
    var pollTimeout: Int32 {
        let (seconds, fraction) = (self - .now).components
        return seconds < 0 ? 0 : Int32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000 + 1)
    }
}
