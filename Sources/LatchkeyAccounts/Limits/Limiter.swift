import LatchkeyCourier
package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// A rate limiter that counts events in the database, across flows, restarts and nodes.
///
/// Attempts that may fail are counted *before* their outcome is known, so parallel attempts can't exceed a
/// limit. If an attempt succeeds, it is no longer counted.
package struct Limiter: Sendable {
    /// How often we try to count events while other nodes count the same events.
    private static let attempts = 16

    private let rules: LimitRules
    private let key: HMACKey
    private let refusals: CounterTable<MeteredLimit>
    private let audit: LimitAudit?
    private let corrections: LimitCorrections?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - rules: The rate limits.
    ///   - key: The key for the subject hashes that we store in the database. With a different key, all
    ///     counts start at zero.
    ///   - refusals: The counters for rejected events.
    ///   - audit: Records rejected events in the audit log, or `nil` if they shouldn't be recorded.
    ///   - corrections: Corrects stored times after the clock was set back.
    package init(
        _ rules: LimitRules,
        key: HMACKey,
        refusals: CounterTable<MeteredLimit> = CounterTable(.limitRefusals),
        audit: LimitAudit? = nil,
        corrections: LimitCorrections? = nil
    ) {
        self.audit = audit
        self.corrections = corrections
        self.rules = rules
        self.key = key
        self.refusals = refusals
    }

    /// Counts the given events, but only if all of them are allowed.
    ///
    /// Events without a limit are ignored. At most ``LimitRepository/mostBuckets`` of the events can have a
    /// limit. Rejected events are included in the metrics and the audit log even if the transaction is rolled
    /// back.
    ///
    /// - Parameters:
    ///   - events: Events that are counted and may be rejected.
    ///   - others: Events that are counted but are never rejected.
    ///   - pretended: Events that aren't counted, but whose limits must not have been reached. Their rows are
    ///     written as if they were counted, so that it takes as much work.
    ///   - unchecked: Events that are neither counted nor checked, but whose rows are written.
    ///   - starts: For some events, a time. Earlier events don't make the client wait.
    ///   - now: The current time.
    ///   - transaction: The database transaction that the counts are written in. If the transaction is
    ///     rolled back, the events aren't counted.
    /// - Returns: A reservation, or a refusal with the time to wait.
    /// - Throws: ``DatabaseError``, with the code `overloaded` if other nodes keep counting the same events.
    package func reserve(
        _ events: [LimitedEvent],
        counting others: [LimitedEvent] = [],
        pretending pretended: [LimitedEvent] = [],
        writing unchecked: [LimitedEvent] = [],
        since starts: [LimitedEvent: Timestamp] = [:],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> LimitVerdict {
        var limits: [LimitSnapshot.Limit] = []
        func add(_ events: [LimitedEvent], as role: LimitSnapshot.Limit.Role) {
            for event in events {
                if let limit = limit(event, as: role, since: starts[event]) { limits.append(limit) }
            }
        }
        add(events, as: .decides)
        add(others, as: .counts)
        add(pretended, as: .pretends)
        add(unchecked, as: .writes)
        // All callers write to the buckets in the same order, so two transactions can't deadlock.
        limits.sort { $0.bucket.lexicographicallyPrecedes($1.bucket) }
        for _ in 0..<Self.attempts {
            let counts = try LimitSnapshot(limits, at: now, in: transaction)
            if let wait = counts.wait {
                for limit in counts.refused {
                    refusals.add(limit.event.metric)
                    audit?.record(limit.event, bucket: limit.bucket, at: now)
                }
                corrections?.store(counts.corrections)
                return .refused(retryAfter: wait.wholeSecondsRoundedUp)
            }
            if let reservation = try counts.write(in: transaction) { return .reserved(reservation) }
        }
        throw DatabaseError(.overloaded, message: "Concurrent requests keep updating the same rate limit.")
    }

    /// Undoes the counting of events, as if they had never happened.
    ///
    /// Other events that were counted in the meantime aren't affected. The transaction doesn't have to be the
    /// one that the events were reserved in.
    ///
    /// - Parameters:
    ///   - reservation: The reservation to give back.
    ///   - transaction: The database transaction that the change is written in.
    /// - Throws: ``DatabaseError``, with the code `overloaded` if other nodes keep counting the same events.
    package func giveBack(
        _ reservation: LimitReservation,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for entry in reservation.entries where try !LimitRepository.restore(entry, in: transaction) {
            try LimitRepository.remove(
                reservation.time,
                from: entry.bucket,
                attempts: Self.attempts,
                in: transaction
            )
        }
    }

    /// Returns how long each event would have to wait, without counting any of them.
    ///
    /// - Throws: ``DatabaseError``.
    func waits(
        for events: [LimitedEvent],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [LimitedEvent: Duration] {
        let current = try current(events, at: now, in: transaction)
        return Dictionary(
            uniqueKeysWithValues: current.map { ($0, rules[$0].wait(after: $1, at: now)) }
        )
    }

    /// Returns the stored times that still matter, for each event that has a limit.
    ///
    /// If the clock was set back, the corrected times are stored. Otherwise, they would be corrected to a
    /// later time with each request, and would matter until the clock has caught up.
    private func current(
        _ events: [LimitedEvent],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [LimitedEvent: EventTimestamps] {
        let limits = events.compactMap { limit($0, as: .checks) }
        let counts = try LimitSnapshot(limits, at: now, in: transaction)
        corrections?.store(counts.corrections)
        return counts.current
    }

    /// Returns the limit of an event, or `nil` if it has none.
    private func limit(
        _ event: LimitedEvent,
        as role: LimitSnapshot.Limit.Role,
        since start: Timestamp? = nil
    ) -> LimitSnapshot.Limit? {
        let rule = rules[event]
        guard !rule.isLifted else { return nil }
        return LimitSnapshot.Limit(
            event: event,
            bucket: bucket(of: event),
            rule: rule,
            role: role,
            start: start
        )
    }

    /// Records that an event has happened, unless its rule already has enough events.
    ///
    /// Use this for events that aren't limited, but that change other limits. The metrics and the audit
    /// log don't include them.
    ///
    /// - Returns: Whether the event was recorded.
    /// - Throws: ``DatabaseError``, with the code `overloaded` if other nodes keep recording the same event.
    @discardableResult
    func mark(
        _ event: LimitedEvent,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard let limit = limit(event, as: .decides) else { return false }
        for _ in 0..<Self.attempts {
            let counts = try LimitSnapshot([limit], at: now, in: transaction)
            if counts.wait != nil {
                corrections?.store(counts.corrections)
                return false
            }
            if try counts.write(in: transaction) != nil { return true }
        }
        throw DatabaseError(.overloaded, message: "Concurrent requests keep updating the same rate limit.")
    }

    /// Waits until all audit events and corrections so far have been stored.
    ///
    /// Call this before closing the database.
    package func finish() async {
        await audit?.finish()
        await corrections?.finish()
    }

    /// Returns the times of recent occurrences of each event, oldest first.
    ///
    /// The array is empty if the event has no limit or its last occurrence was before its rule's horizon.
    ///
    /// - Throws: ``DatabaseError``.
    func times(
        of events: [LimitedEvent],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [LimitedEvent: [Timestamp]] {
        try current(events, at: now, in: transaction).mapValues(\.times)
    }

    /// Returns whether an event's bucket already had a row before the reservation was made.
    func isRepeated(_ event: LimitedEvent, in reservation: LimitReservation) -> Bool {
        let bucket = bucket(of: event)
        return reservation.entries.contains { $0.bucket == bucket && $0.old != nil }
    }

    /// Removes the event with the given timestamp from the count.
    ///
    /// This method has no effect if there is no such event.
    ///
    /// - Throws: ``DatabaseError``, with the code `overloaded` if other nodes keep counting the same event.
    func remove(
        _ event: LimitedEvent,
        at time: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try LimitRepository.remove(
            time,
            from: bucket(of: event),
            attempts: Self.attempts,
            in: transaction
        )
    }

    /// Resets the count of an event to zero.
    ///
    /// - Throws: ``DatabaseError``.
    func forget(_ event: LimitedEvent, in transaction: borrowing Transaction) throws(DatabaseError) {
        try LimitRepository.delete(bucket(of: event), in: transaction)
    }

    /// Returns the event to count when a text message is sent to an address.
    ///
    /// - Parameters:
    ///   - address: The recipient. The recipient's phone number determines which share of the limit is used.
    ///   - isProven: Whether the address is proven on its account, which determines which half of the limit
    ///     is used.
    /// - Returns: The event, or `nil` if the address is a mailbox or text messages are unlimited.
    package func textMessage(to address: ContactAddress, isProven: Bool) -> LimitedEvent? {
        guard address.via == .sms, !rules.textMessageShares.rule.isLifted else { return nil }
        let share = rules.textMessageShares.share(of: address.value, key: key)
        return .textMessage(share: share, isProven: isProven)
    }

    /// Returns the event to count when a text message to an unproven number is requested from a new block.
    func textMessageFromNewBlock(to address: ContactAddress) -> LimitedEvent {
        .textMessageFromNewBlock(share: rules.newBlockShares.share(of: address.value, key: key))
    }

    /// Returns the key of the database row that counts an event.
    ///
    /// The key is a keyed hash, so the subject can't be derived from it without the server's secret.
    private func bucket(of event: LimitedEvent) -> [UInt8] {
        key.authenticate(event.subject)
    }
}

extension Duration {
    fileprivate var wholeSecondsRoundedUp: Int {
        max(1, Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0))
    }
}
