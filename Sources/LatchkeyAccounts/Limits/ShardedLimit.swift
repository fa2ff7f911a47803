import LatchkeyCrypto

/// A limit for all subjects together that is divided into shares.
///
/// Each subject is assigned to one share.
///
/// Each share has its own row in the database, so concurrent transactions rarely contend for the same row.
/// All shares together never exceed the limit.
struct ShardedLimit: Hashable, Sendable {
    /// The minimum number of events in a share.
    ///
    /// Smaller shares would reject events long before the whole limit is reached.
    private static let smallest = 50

    /// The limit of each share.
    let rule: LimitRule

    private let count: Int

    /// Divides a limit into as many shares as the window with the smallest count permits.
    ///
    /// The counts are rounded down, so the shares together may allow fewer events than the limit. An empty
    /// list results in one share without a limit.
    init(of windows: [Rate]) {
        let count = max(1, (windows.map(\.count).min() ?? 0) / Self.smallest)
        rule = .sliding(windows.map { Rate($0.count / count, per: $0.window) })
        self.count = count
    }

    /// Returns the index of the share to which a subject is assigned.
    ///
    /// The index depends only on the subject and the key, and cannot be predicted without the key.
    func share(of subject: String, key: HMACKey) -> Int {
        let hash = key.authenticate(Array("share".utf8) + [0] + Array(subject.utf8))
        let word = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(word % UInt64(count))
    }
}
