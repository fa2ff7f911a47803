import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The URI of a pushed authorization request (RFC 9126, section 2.2), of which only a hash is stored.
struct RequestURI: Sendable {
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    let text: Secret
    let hash: [UInt8]

    /// Generates a URI with 256 random bits.
    init(random: any RandomSource) {
        self.init(Self.prefix + Base64URL.encode(random.bytes(32)))
    }

    /// Reads the URI in a request.
    ///
    /// Returns `nil` if it isn't one of ours.
    init?(presented text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count < 128 else { return nil }
        self.init(text)
    }

    private init(_ text: String) {
        self.text = Secret(text)
        hash = SHA256.hash(Array("latchkey request uri\0".utf8) + Array(text.utf8))
    }
}
