import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension PostgreSQLConnection {
    /// Ends the unit at the end of the pipeline and waits for its result, for a thread that has nothing else to do.
    ///
    /// - Parameter deadline: When to give the connection up; never if nil.
    /// - Returns: What the unit's last statement did.
    /// - Throws: What kept one of the unit's statements from being done.
    func finishUnit(by deadline: ContinuousClock.Instant?) throws(PostgreSQLFailure) -> StatementOutcome {
        try endUnit()
        while true {
            let isSent = try flush()
            if let result = try nextUnit() { return try result.get() }
            try wait(forRoom: !isSent, by: deadline)
            let stands = takeIn()
            if !stands {
                if let result = try nextUnit() { return try result.get() }
                throw .lost
            }
        }
    }

    /// Runs one statement in a unit of its own.
    func run(
        _ sql: StaticString,
        _ values: [SQLValue] = [],
        by deadline: ContinuousClock.Instant?
    ) throws(PostgreSQLFailure) -> StatementOutcome {
        try append(sql, values)
        return try finishUnit(by: deadline)
    }

    private func wait(forRoom: Bool, by deadline: ContinuousClock.Instant?) throws(PostgreSQLFailure) {
        var descriptor = pollfd(
            fd: socket,
            events: Int16(POLLIN) | (forRoom ? Int16(POLLOUT) : 0),
            revents: 0
        )
        while true {
            let count = poll(&descriptor, 1, deadline?.pollTimeout ?? -1)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .lost }
            if let deadline, deadline <= .now { throw .silent }
        }
    }
}

extension ContinuousClock.Instant {
    /// The milliseconds until then, as `poll` wants them: rounded up, and never "for ever".
    var pollTimeout: Int32 {
        let (seconds, fraction) = (self - .now).components
        return seconds < 0 ? 0 : Int32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000 + 1)
    }
}
