/// A key for HMAC-SHA256 (RFC 2104).
package struct HMACKey: Sendable {
    // The key with each of the two paddings: what both hashes begin with.
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// Creates a key; longer than 64 bytes is hashed first, as the RFC has it.
    package init(bytes: [UInt8]) {
        let bytes = bytes.count > 64 ? SHA256.hash(bytes) : bytes
        let padded = bytes + [UInt8](repeating: 0, count: 64 - bytes.count)
        inner = padded.map { $0 ^ 0x36 }
        outer = padded.map { $0 ^ 0x5C }
    }

    /// Computes the code of a message: 32 bytes.
    ///
    /// From the hash alone: OpenSSL's own function looks its parts up anew at each call, which takes as long again.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        SHA256.hash(outer + SHA256.hash(inner + message))
    }

    /// Tells whether a code is that of a message, in a time that does not depend on how much of it is right.
    package func isAuthentic(_ code: [UInt8], of message: [UInt8]) -> Bool {
        ConstantTime.equal(code, authenticate(message))
    }
}

extension HMACKey: CustomStringConvertible, CustomReflectable {
    /// A mark in place of the key.
    package var description: String { "‹key›" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
