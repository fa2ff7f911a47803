import LatchkeyCrypto
package import LatchkeyModel

/// An authorization code (RFC 6749, section 1.3.1), of which only a hash is stored.
package struct AuthorizationCode: Sendable {
    private static let byteCount = 32

    package let secret: Secret
    package let hash: [UInt8]

    /// Generates a code with 256 random bits.
    package init(random: any RandomSource) {
        self.init(presented: Secret(Base64URL.encode(random.bytes(Self.byteCount))))
    }

    /// Creates a code from the text in a request, which may be any text.
    package init(presented secret: Secret) {
        self.secret = secret
        hash = SHA256.hash(Array("latchkey authorization code\0".utf8) + Array(secret.exposed.utf8))
    }
}
