import LatchkeyModel

/// A position in a list of purchases that is sorted by time and id.
///
/// A position marks where a page of the list starts.
struct PurchasePosition: Sendable {
    /// The size of a page key in bytes: 8 bytes for the time and 16 bytes for the id.
    static let keySize = 24

    /// When the last purchase before the page was created.
    let time: Timestamp
    /// The id of the last purchase before the page.
    let id: Identifier

    /// Creates the position of the given purchase.
    init(_ purchase: Purchase) {
        time = purchase.createdAt
        id = purchase.id
    }

    /// The position before all purchases.
    ///
    /// The first page of an ascending list starts at this position.
    static let start = PurchasePosition(time: Timestamp(microseconds: .min), id: Identifier(high: 0, low: 0))

    /// The position after all purchases.
    ///
    /// The first page of a descending list starts at this position.
    static let end = PurchasePosition(
        time: Timestamp(microseconds: .max),
        id: Identifier(high: .max, low: .max)
    )

    private init(time: Timestamp, id: Identifier) {
        self.time = time
        self.id = id
    }

    /// The page key, which consists of the time in microseconds, in big-endian order, and the id.
    var key: [UInt8] {
        let time = UInt64(bitPattern: time.microseconds)
        return (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) } + id.bytes
    }

    /// Decodes a page key.
    ///
    /// Returns `nil` if the key has the wrong size.
    init?(key: [UInt8]) {
        guard key.count == Self.keySize, let id = Identifier(bytes: Array(key.dropFirst(8))) else {
            return nil
        }
        let time = key.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(time: Timestamp(microseconds: Int64(bitPattern: time)), id: id)
    }
}
