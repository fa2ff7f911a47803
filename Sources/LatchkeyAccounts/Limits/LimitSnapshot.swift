import LatchkeyModel
import LatchkeyServerKit

/// The timestamps of recent events for several limits, with the verdict on one more event for each limit.
struct LimitSnapshot {
    /// A limit that applies to a reservation, with the keyed hash of the event's subject as its bucket.
    struct Limit {
        /// The effect of a limit on a reservation.
        enum Role {
            /// The event is counted and can be rejected.
            case decides

            /// The event is counted and never rejected.
            case counts

            /// The event is not counted but can be rejected.
            case checks
        }

        let event: LimitedEvent
        let bucket: [UInt8]
        let rule: LimitRule
        let role: Role
    }

    private struct Count {
        let limit: Limit
        let old: [UInt8]?
        let recent: EventTimestamps
        let wait: Duration
    }

    private let counts: [Count]
    private let now: Timestamp

    /// Reads the timestamps for several limits.
    ///
    /// A single statement reads the timestamps for all limits. A limit with the role ``Limit/Role/counts``
    /// has no wait.
    ///
    /// - Parameters:
    ///   - limits: The limits, at most ``LimitRepository/mostBuckets``.
    ///   - now: The current time.
    ///   - transaction: The transaction to read in.
    /// - Throws: ``DatabaseError``.
    init(
        _ limits: [Limit],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let found = try LimitRepository.find(limits.map(\.bucket), in: transaction)
        counts = limits.map { limit in
            let old = found[limit.bucket]
            let recent = EventTimestamps(old ?? []).recent(at: now, horizon: limit.rule.horizon)
            let wait = limit.role == .counts ? .zero : limit.rule.wait(after: recent.ages(at: now))
            return Count(limit: limit, old: old, recent: recent, wait: wait)
        }
        self.now = now
    }

    /// The time until all events are allowed; `nil` if they are allowed now.
    var wait: Duration? {
        let wait = counts.map(\.wait).max() ?? .zero
        return wait > .zero ? wait : nil
    }

    /// The limits that reject their events.
    var refused: [Limit] { counts.filter { $0.wait > .zero }.map(\.limit) }

    /// Counts each event, except for events that are only checked.
    ///
    /// If another transaction has counted one of the events since the read, this method undoes the counts
    /// that it has already written.
    ///
    /// - Returns: The reservation, or `nil` if another transaction has counted one of the events since the
    ///   read, in which case no event is counted.
    /// - Throws: ``DatabaseError``.
    func write(in transaction: borrowing Transaction) throws(DatabaseError) -> LimitReservation? {
        var reservation = LimitReservation(time: now)
        for count in counts where count.limit.role != .checks {
            var stamps = count.recent
            stamps.append(now)
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
                for written in reservation.entries {
                    try LimitRepository.remove(now, from: written.bucket, attempts: 1, in: transaction)
                }
                return nil
            }
            reservation.entries.append(entry)
            if case .textMessage = count.limit.event {
                reservation.isTextBudgetLow = count.limit.rule.isNearlyUsed(by: stamps.times.count)
            }
        }
        return reservation
    }
}
