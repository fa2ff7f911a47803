import LatchkeyCrypto

/// A limit on all subjects together, divided into shares, to which the subjects are assigned.
///
/// Each share has its own row in the database, so that concurrent transactions rarely contend for the same
/// row. All shares together never exceed the limit.
struct ShardedLimit: Hashable, Sendable {
    /// The minimum number of events in a share; smaller shares would refuse subjects long before the limit is
    /// reached.
    private static let smallest = 50

    /// The limit of each share.
    let rule: LimitRule

    private let count: Int

    /// Divides a limit into as many shares as the window with the smallest count permits.
    ///
    /// The counts are rounded down, so that the shares together may allow fewer events than the limit. No
    /// windows mean one share without a limit.
    init(of windows: [Rate]) {
        let count = max(1, (windows.map(\.count).min() ?? 0) / Self.smallest)
        rule = .sliding(windows.map { Rate($0.count / count, per: $0.window) })
        self.count = count
    }

    /// Returns the index of the share that a subject is assigned to: fixed for one key, and unpredictable
    /// without it.
    func share(of subject: String, key: HMACKey) -> Int {
        let hash = key.authenticate(Array("share".utf8) + [0] + Array(subject.utf8))
        let word = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(word % UInt64(count))
    }
}
