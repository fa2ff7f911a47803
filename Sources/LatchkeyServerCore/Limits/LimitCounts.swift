import LatchkeyModel

/// What was counted so far for some events, as it stood when it was read.
struct LimitCounts {
    private struct Count {
        let bucket: [UInt8]
        let rule: LimitRule
        let decides: Bool
        let old: [UInt8]?
        let recent: LimitStamps
    }

    private let counts: [Count]
    private let now: Timestamp

    init(
        _ limits: [(bucket: [UInt8], rule: LimitRule, decides: Bool)],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        var counts: [Count] = []
        for (bucket, rule, decides) in limits {
            let old = try LimitRepository.find(bucket, in: transaction)
            let recent = LimitStamps(old ?? []).recent(at: now, horizon: rule.horizon)
            counts.append(
                Count(bucket: bucket, rule: rule, decides: decides, old: old, recent: recent)
            )
        }
        self.counts = counts
        self.now = now
    }

    /// The longest of the waits; nothing when all may happen.
    var wait: Duration? {
        let wait = counts.map(wait(for:)).max() ?? .zero
        return wait > .zero ? wait : nil
    }

    /// Which of the limits refuse, in their order.
    var refusals: [Bool] { counts.map { wait(for: $0) > .zero } }

    private func wait(for count: Count) -> Duration {
        count.decides ? count.rule.wait(after: count.recent.ages(at: now)) : .zero
    }

    /// Counts one more of each, unless another transaction did in the meantime; then nothing changes.
    func write(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        for (index, count) in counts.enumerated() {
            var stamps = count.recent
            stamps.append(now)
            let isWritten = try LimitRepository.replace(
                count.old,
                by: stamps.bytes,
                in: count.bucket,
                until: now + count.rule.horizon,
                in: transaction
            )
            guard isWritten else {
                for written in counts[..<index] {
                    try LimitRepository.remove(now, from: written.bucket, attempts: 1, in: transaction)
                }
                return false
            }
        }
        return true
    }
}
