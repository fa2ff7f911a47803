import LatchkeyCrypto

/// A limit on the total number of events, divided into several shares.
///
/// Every subject is assigned to one share, and every share has its own row in the database, so concurrent
/// transactions rarely compete for the same row. The sum of all shares never exceeds the limit.
struct ShardedLimit: Hashable, Sendable {
    /// The minimum number of events per share.
    ///
    /// Smaller shares would reject events long before the overall limit is reached.
    private static let smallest = 50

    /// The limit that applies to each share.
    let rule: LimitRule

    private let count: Int

    /// Divides a limit into as many shares as the window with the smallest count permits.
    ///
    /// The count of each share is rounded down, so the shares may allow fewer events in total than the limit
    /// does. An empty list results in one share without a limit.
    init(of windows: [Rate]) {
        let count = max(1, (windows.map(\.count).min() ?? 0) / Self.smallest)
        rule = .sliding(windows.map { Rate($0.count / count, per: $0.window) })
        self.count = count
    }

    /// Returns the index of the share that a subject is assigned to.
    ///
    /// The index only depends on the subject and the key, and can't be predicted without the key.
    func share(of subject: String, key: HMACKey) -> Int {
        let hash = key.authenticate(Array("share".utf8) + [0] + Array(subject.utf8))
        let word = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(word % UInt64(count))
    }
}
