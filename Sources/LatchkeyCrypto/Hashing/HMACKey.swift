import COpenSSL

/// A key for HMAC-SHA256 (RFC 2104).
package struct HMACKey: Sendable {
    private let bytes: [UInt8]

    /// Creates a key; longer than 64 bytes is hashed first, as the RFC has it.
    package init(bytes: [UInt8]) {
        self.bytes = bytes.count > 64 ? SHA256.hash(bytes) : bytes
    }

    /// Computes the code of a message: 32 bytes.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
            var length: UInt32 = 0
            _ = HMAC(
                EVP_sha256(),
                bytes,
                Int32(bytes.count),
                message,
                message.count,
                buffer.baseAddress,
                &length
            )
            count = SHA256.byteCount
        }
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
