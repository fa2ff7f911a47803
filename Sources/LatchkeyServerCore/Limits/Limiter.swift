package import LatchkeyCrypto
package import LatchkeyModel

/// Counts what may happen only so often, in the database: across flows, restarts and nodes.
///
/// What can fail is counted *before* it is judged and taken back when it succeeds, so that no number of
/// attempts at the same moment gets past a limit.
package struct Limiter: Sendable {
    /// How often to begin again when other nodes count the same things at the same moment.
    private static let attempts = 16

    private let rules: LimitRules
    private let key: HMACKey
    private let metrics: ServerMetrics

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - rules: The limits.
    ///   - key: Under which phones, accounts and addresses are hidden in the database; another key starts at zero.
    ///   - metrics: Counts the refusals.
    package init(_ rules: LimitRules, key: HMACKey, metrics: ServerMetrics = ServerMetrics()) {
        self.rules = rules
        self.key = key
        self.metrics = metrics
    }

    /// Creates the limiter of a server.
    package init(_ context: ServerContext) {
        self.init(context.settings.limits, key: context.secrets.key(for: .limits), metrics: context.metrics)
    }

    /// Counts events if every one of them may happen now; otherwise none.
    ///
    /// - Parameters:
    ///   - events: Those that decide.
    ///   - others: Those that are counted beside them, and may happen in any case.
    ///   - now: The time.
    ///   - transaction: The transaction.
    /// - Returns: Whether they may happen.
    /// - Throws: ``DatabaseError``.
    package func reserve(
        _ events: [LimitedEvent],
        counting others: [LimitedEvent] = [],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> LimitVerdict {
        // In one order for all, so that two transactions never wait for each other.
        let limits =
            (events.map { ($0, true) } + others.map { ($0, false) })
            .map { (event: $0, bucket: key.authenticate($0.subject), rule: rules[$0], decides: $1) }
            .filter { !$0.rule.isLifted }
            .sorted { $0.bucket.lexicographicallyPrecedes($1.bucket) }
        for _ in 0..<Self.attempts {
            let counts = try LimitCounts(
                limits.map { ($0.bucket, $0.rule, $0.decides) },
                at: now,
                in: transaction
            )
            if let wait = counts.wait {
                for (limit, waits) in zip(limits, counts.refusals) where waits {
                    metrics.limitRefusals.add(MeteredLimit(limit.event))
                }
                return .refused(retryAfter: wait.wholeSecondsRoundedUp)
            }
            if try counts.write(in: transaction) {
                return .reserved(LimitReservation(buckets: limits.map(\.bucket), time: now))
            }
        }
        throw DatabaseError(.unavailable, "Other nodes count the same events at the same moment.")
    }

    /// Takes events back, as if they had not happened.
    package func giveBack(
        _ reservation: LimitReservation,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for bucket in reservation.buckets {
            try LimitRepository.remove(
                reservation.time,
                from: bucket,
                attempts: Self.attempts,
                in: transaction
            )
        }
    }
}

extension Duration {
    fileprivate var wholeSecondsRoundedUp: Int {
        max(1, Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0))
    }
}
