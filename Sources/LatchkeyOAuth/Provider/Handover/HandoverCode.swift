import LatchkeyCrypto
package import LatchkeyModel

/// A code that continues the session of an app in a browser, of which only a hash is stored.
package struct HandoverCode: Sendable {
    /// How long a code can be used, also the authorization code that an app gets for another client.
    static let lifespan = Duration.seconds(60)
    private static let byteCount = 32

    package let secret: Secret
    package let hash: [UInt8]

    /// Generates a code with 256 random bits.
    init(random: any RandomSource) {
        self.init(presented: Secret(Base64URL.encode(random.bytes(Self.byteCount))))
    }

    /// Creates a code from the text in a request, which may be any text.
    package init(presented secret: Secret) {
        self.secret = secret
        hash = SHA256.hash(Array("latchkey handover code\0".utf8) + Array(secret.exposed.utf8))
    }
}
