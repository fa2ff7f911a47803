import LatchkeyModel
import LatchkeyServerKit

/// The recent events that several limits have counted, read at one point in time.
///
/// We use the snapshot to decide whether another event is allowed.
struct LimitSnapshot {
    /// A limit that is checked before events are reserved.
    ///
    /// The bucket is a keyed hash of the event's subject.
    struct Limit {
        /// How an event and its limit take part in a reservation.
        enum Role {
            /// The event is counted and may be rejected.
            case decides

            /// The event is counted but is never rejected.
            case counts

            /// The event isn't counted but may be rejected.
            case checks

            /// The event isn't counted but may be rejected, and its row is written as if it were counted.
            case pretends

            /// The event is neither counted nor rejected, but its row is written as if it were counted.
            case writes
        }

        let event: LimitedEvent
        let bucket: [UInt8]
        let rule: LimitRule
        let role: Role

        /// Events up to this time don't make the client wait.
        let start: Timestamp?
    }

    /// A bucket whose stored times are later than they can be, because the clock was set back.
    struct Correction: Sendable {
        let bucket: [UInt8]
        let old: [UInt8]
        let new: [UInt8]
        let expiry: Timestamp
    }

    private struct Count {
        let limit: Limit
        let old: [UInt8]?
        let recent: EventTimestamps
        let wait: Duration
        let isAhead: Bool
    }

    private let counts: [Count]
    private let now: Timestamp

    /// Reads the timestamps for several limits with a single statement.
    ///
    /// Limits with the role ``Limit/Role/counts`` never require a wait.
    ///
    /// - Parameters:
    ///   - limits: The limits to read, up to ``LimitRepository/mostBuckets``.
    ///   - now: The current time.
    ///   - transaction: The database transaction to read in.
    /// - Throws: ``DatabaseError``.
    init(
        _ limits: [Limit],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let found = try LimitRepository.find(limits.map(\.bucket), in: transaction)
        counts = limits.map { limit in
            let old = found[limit.bucket]
            let stored = EventTimestamps(bytes: old ?? [])
            let recent = limit.rule.current(stored, at: now)
            let counted = limit.start.map(recent.since) ?? recent
            let isDecisive = limit.role != .counts && limit.role != .writes
            return Count(
                limit: limit,
                old: old,
                recent: recent,
                wait: isDecisive ? limit.rule.wait(after: counted, at: now) : .zero,
                isAhead: limit.rule.isAhead(stored, at: now)
            )
        }
        self.now = now
    }

    /// The buckets whose stored times must be corrected because the clock was set back.
    var corrections: [Correction] {
        counts.compactMap { count in
            guard count.isAhead, let old = count.old else { return nil }
            return Correction(
                bucket: count.limit.bucket,
                old: old,
                new: count.recent.bytes,
                expiry: now + count.limit.rule.horizon
            )
        }
    }

    /// The stored times of each event that still matter.
    var current: [LimitedEvent: EventTimestamps] {
        Dictionary(counts.map { ($0.limit.event, $0.recent) }) { first, _ in first }
    }

    /// How long to wait until all events are allowed, or `nil` if they are allowed now.
    var wait: Duration? {
        let wait = counts.map(\.wait).max() ?? .zero
        return wait > .zero ? wait : nil
    }

    /// The limits that are currently reached, so another event must wait.
    var refused: [Limit] { counts.filter { $0.wait > .zero }.map(\.limit) }

    /// Counts all events, except those that are only checked.
    ///
    /// If another transaction has counted one of the events since we read the timestamps, we undo the counts
    /// that we have already written and return `nil`.
    ///
    /// - Returns: The reservation, or `nil` if no event was counted.
    /// - Throws: ``DatabaseError``.
    func write(in transaction: borrowing Transaction) throws(DatabaseError) -> LimitReservation? {
        var reservation = LimitReservation(time: now)
        for count in counts where count.limit.role != .checks {
            let isCounted = count.limit.role == .decides || count.limit.role == .counts
            let stamps = isCounted ? count.limit.rule.counting(now, after: count.recent) : count.recent
            let entry = LimitReservation.Entry(
                bucket: count.limit.bucket,
                old: count.old,
                new: stamps.bytes,
                expiry: now + count.limit.rule.horizon
            )
            let isWritten = try LimitRepository.replace(
                entry.old,
                by: entry.new,
                in: entry.bucket,
                until: entry.expiry,
                in: transaction
            )
            guard isWritten else {
                for written in reservation.entries
                where try !LimitRepository.restore(written, in: transaction) {
                    try LimitRepository.remove(now, from: written.bucket, attempts: 1, in: transaction)
                }
                return nil
            }
            guard isCounted else { continue }
            reservation.entries.append(entry)
            if count.limit.event.isBudget {
                reservation.isTextBudgetLow = count.limit.rule.isNearlyUsed(by: stamps.times.count)
            }
        }
        return reservation
    }
}
