/// The device's key in its stored form; never printed, because it may be the key itself.
package struct StoredKey: Hashable, Sendable {
    /// The bytes; the name makes each use visible in a review.
    package let exposed: [UInt8]

    package init(_ bytes: [UInt8]) {
        exposed = bytes
    }
}

extension StoredKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹key›" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
