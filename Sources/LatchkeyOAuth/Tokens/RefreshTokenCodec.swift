import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Encodes and verifies refresh tokens.
///
/// Tokens are derived and never stored. A token consists of the id of the secret, the session's id, the
/// token's number, and an HMAC of these values. The same number always produces the same token, and an
/// attacker who reads the database doesn't learn any tokens.
package struct RefreshTokenCodec: Sendable {
    /// The length of the authenticated part, in bytes.
    ///
    /// The authenticated part consists of the secret's id, the session's id and the token's number.
    private static let messageLength = 1 + 16 + 4

    /// The text in front of the base64url part of a token.
    ///
    /// The prefix isn't protected by the token's MAC.
    private let prefix: String
    /// The HMAC keys for all secrets.
    ///
    /// The first key is used to encode tokens.
    private let keys: [ServerSecrets.IdentifiedKey]

    /// Creates a codec.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of each token, which makes leaked tokens easy to recognize.
    ///   - purpose: The purpose of the keys, so that tokens of one kind aren't valid as another.
    ///   - secrets: The server's secrets. The first secret is used to encode tokens, and all secrets are used
    ///     to verify tokens.
    package init(
        prefix: String,
        purpose: ServerSecrets.Purpose = .refreshToken,
        secrets: ServerSecrets
    ) {
        self.prefix = prefix
        keys = secrets.keys(for: purpose)
    }

    /// Encodes a token and authenticates it with the first server secret.
    ///
    /// The number is encoded in four bytes, so numbers greater than 4,294,967,295 are clamped.
    package func write(_ token: RefreshToken) -> Secret {
        let number = UInt32(clamping: token.number)
        let message =
            [keys[0].id] + token.session.bytes
            + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        return Secret(prefix + Base64URL.encode(message + keys[0].key.authenticate(message)))
    }

    /// Decodes a token.
    ///
    /// Returns `nil` if the token wasn't authenticated with one of the server's secrets.
    ///
    /// This method doesn't access the database, so the result doesn't tell you whether the token can still be
    /// used.
    ///
    /// - Parameter text: The text that the client sent, which must start with this codec's prefix.
    /// - Returns: The session's id and the token's number. The MAC is compared in constant time.
    package func read(_ text: Secret) -> RefreshToken? {
        let text = text.exposed
        guard
            text.hasPrefix(prefix), text.utf8.count <= prefix.utf8.count + 128,
            let bytes = Base64URL.decode(text.dropFirst(prefix.count)),
            bytes.count == Self.messageLength + SHA256.byteCount
        else { return nil }
        let message = Array(bytes.prefix(Self.messageLength))
        let code = Array(bytes.suffix(SHA256.byteCount))
        guard
            keys.contains(where: { $0.id == message[0] && $0.key.isAuthentic(code, of: message) }),
            let session = Identifier(bytes: Array(message[1..<17]))
        else { return nil }
        return RefreshToken(session: session, number: message[17...].reduce(0) { $0 << 8 | Int64($1) })
    }
}
