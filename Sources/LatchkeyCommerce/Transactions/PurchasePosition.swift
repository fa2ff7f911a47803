import LatchkeyModel

/// The position of a page in a list of purchases, which is sorted by time and id.
struct PurchasePosition: Sendable {
    /// The size of a page key in bytes: 8 for the time and 16 for the id.
    static let keySize = 24

    /// The time at which the purchase before the page was created.
    let time: Timestamp
    /// The id of this purchase.
    let id: Identifier

    /// The position of a purchase, after which a page begins.
    init(_ purchase: Purchase) {
        time = purchase.createdAt
        id = purchase.id
    }

    /// The position before all purchases, at which the first page of an ascending list begins.
    static let start = PurchasePosition(time: Timestamp(microseconds: .min), id: Identifier(high: 0, low: 0))

    /// The position after all purchases, at which the first page of a descending list begins.
    static let end = PurchasePosition(
        time: Timestamp(microseconds: .max),
        id: Identifier(high: .max, low: .max)
    )

    private init(time: Timestamp, id: Identifier) {
        self.time = time
        self.id = id
    }

    /// The page key: the time in microseconds, big-endian, followed by the id.
    var key: [UInt8] {
        let time = UInt64(bitPattern: time.microseconds)
        return (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) } + id.bytes
    }

    /// Decodes a page key; returns `nil` if its size is wrong.
    init?(key: [UInt8]) {
        guard key.count == Self.keySize, let id = Identifier(bytes: Array(key.dropFirst(8))) else {
            return nil
        }
        let time = key.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(time: Timestamp(microseconds: Int64(bitPattern: time)), id: id)
    }
}
