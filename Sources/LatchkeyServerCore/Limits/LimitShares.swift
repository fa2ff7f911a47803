/// A limit on many subjects together, dealt out in shares that each belong to some of them.
///
/// So no row of the database is one that everybody waits for. All together they are never more than the limit.
struct LimitShares: Hashable, Sendable {
    /// How many events a share holds at the least; smaller ones would turn people away long before the limit.
    private static let smallest = 50

    /// What holds for each share.
    let rule: LimitRule

    private let count: Int

    /// Deals out a limit.
    init(of windows: [LimitWindow]) {
        let count = max(1, (windows.map(\.count).min() ?? 0) / Self.smallest)
        rule = .sliding(windows.map { LimitWindow($0.count / count, per: $0.length) })
        self.count = count
    }

    /// The share that a subject draws on, always the same.
    func share(of subject: String) -> Int {
        let mixed = subject.utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return Int(mixed % UInt64(count))
    }
}
