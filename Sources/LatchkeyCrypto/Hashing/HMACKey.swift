/// A key for HMAC-SHA256 (RFC 2104).
package struct HMACKey: Sendable {
    // The first block of the inner hash and that of the outer hash. Each block is the key XORed with one of
    // the two paddings.
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// Creates a key from bytes.
    ///
    /// If there are more than 64 bytes, their hash is used instead, as RFC 2104 requires.
    package init(bytes: [UInt8]) {
        let bytes = bytes.count > 64 ? SHA256.hash(bytes) : bytes
        let padded = bytes + [UInt8](repeating: 0, count: 64 - bytes.count)
        inner = padded.map { $0 ^ 0x36 }
        outer = padded.map { $0 ^ 0x5C }
    }

    /// Computes the 32-byte authentication code for a message.
    ///
    /// We only use the hash function, because OpenSSL's HMAC looks up its algorithms on each call and takes
    /// twice as long.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        SHA256.hash(outer + SHA256.hash(inner + message))
    }

    /// Returns whether an authentication code is valid for a message.
    ///
    /// The comparison takes constant time.
    package func isAuthentic(_ code: [UInt8], of message: [UInt8]) -> Bool {
        ConstantTime.equal(code, authenticate(message))
    }
}

extension HMACKey: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    ///
    /// The key itself is never printed.
    package var description: String { "‹key›" }

    /// A mirror without children, so that dumping the value does not print the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
