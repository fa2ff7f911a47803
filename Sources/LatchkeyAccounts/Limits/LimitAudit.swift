package import LatchkeyModel
package import LatchkeyServerKit

/// Records in the audit log that a rate limit was reached.
///
/// Each node records at most one event per hour for each limit and subject. The rejected request's
/// transaction is rolled back, so the event is stored afterwards in a separate transaction.
package final class LimitAudit: Sendable {
    /// The minimum time between two events for the same bucket.
    private static let interval: Duration = .seconds(3600)

    /// The maximum number of buckets that we remember, which is also the maximum number of events per hour.
    private static let mostSubjects = 1000

    /// When each bucket was last recorded, and the task that stores the latest event.
    private struct State {
        /// We use the uptime, because events would be dropped for too long after the clock was set back.
        var recorded: [[UInt8]: Duration] = [:]
        var last: Task<Void, Never>?
    }

    private let database: any Database
    private let trace: AuditTrace
    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Locked(State())

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - database: The database that the events are stored in, one at a time.
    ///   - trace: Derives the hashes that we store instead of identifiers.
    ///   - time: The clock that measures the time between two events.
    ///   - random: The random source for event ids.
    package init(
        _ database: any Database,
        trace: AuditTrace,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.database = database
        self.trace = trace
        self.time = time
        self.random = random
    }

    /// Records that a limit was reached.
    ///
    /// The event is stored asynchronously, in the order of the calls.
    ///
    /// If too many events have been recorded within the last hour, the event is dropped.
    ///
    /// - Parameters:
    ///   - event: The event that was rejected.
    ///   - bucket: A keyed hash of the limit and its subject, which we use to recognize repeated events.
    ///   - now: The time at which the event was rejected.
    func record(_ event: LimitedEvent, bucket: [UInt8], at now: Timestamp) {
        let uptime = time.uptime
        state.withLock { state in
            if let last = state.recorded[bucket], uptime - last < Self.interval { return }
            if state.recorded.count >= Self.mostSubjects {
                state.recorded = state.recorded.filter { uptime - $0.value < Self.interval }
                guard state.recorded.count < Self.mostSubjects else { return }
            }
            state.recorded[bucket] = uptime
            let entry = AuditEvent(limit: event, trace: trace, at: now, random: random)
            state.last = Task { [database, last = state.last] in
                await last?.value
                // Database failures are reported elsewhere, and the rejected event is included in the metrics
                // in any case.
                try? await database.transaction { try AuditLog.append(entry, in: $0) }
            }
        }
    }

    /// Waits until all events that were recorded so far have been stored or have failed.
    ///
    /// Call this before closing the database, or events can be lost.
    package func finish() async {
        await state.withLock(\.last)?.value
    }
}

extension AuditEvent {
    /// Creates an event for a limit that was reached.
    ///
    /// Identifiers are hashed, but the network is stored in plain text.
    fileprivate init(
        limit event: LimitedEvent,
        trace: AuditTrace,
        at now: Timestamp,
        random: some RandomSource
    ) {
        let limit = event.metric.rawValue
        self.init(
            .limitReached,
            of: event.identity ?? .nilUUID,
            by: .server,
            about: event.identifier.map { limit + " " + trace.hash($0) } ?? limit,
            from: event.network,
            at: now,
            random: random
        )
    }
}
