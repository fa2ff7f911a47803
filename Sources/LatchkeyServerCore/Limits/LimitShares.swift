import LatchkeyCrypto

/// A limit on all subjects together, divided into shares that belong to some of the subjects each.
///
/// The shares have rows of their own in the database, so that not every transaction waits for the same one. All
/// shares together never exceed the limit.
struct LimitShares: Hashable, Sendable {
    /// The least number of events in a share; smaller ones would refuse subjects long before the limit is reached.
    private static let smallest = 50

    /// The limit of each share.
    let rule: LimitRule

    private let count: Int

    /// Divides a limit.
    init(of windows: [LimitWindow]) {
        let count = max(1, (windows.map(\.count).min() ?? 0) / Self.smallest)
        rule = .sliding(windows.map { LimitWindow($0.count / count, per: $0.length) })
        self.count = count
    }

    /// The share that a subject draws on, always the same for one key, and not predictable without it.
    func share(of subject: String, key: HMACKey) -> Int {
        let hash = key.authenticate(Array("share".utf8) + [0] + Array(subject.utf8))
        let word = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(word % UInt64(count))
    }
}
