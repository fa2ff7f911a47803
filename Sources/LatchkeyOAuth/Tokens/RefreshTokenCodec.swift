import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Encodes and verifies refresh tokens.
///
/// Tokens are derived and never stored. A token consists of the ids of the secret and the session, the
/// number, and an HMAC of these. The same number therefore always results in the same token, and the database
/// contains no tokens that could be stolen.
package struct RefreshTokenCodec: Sendable {
    /// The length of the authenticated part in bytes: the id of the secret, the session and the number.
    private static let messageLength = 1 + 16 + 4

    /// The text before the base64url part of the token; it is not authenticated.
    private let prefix: String
    /// The HMAC keys for all secrets, beginning with the key that encodes.
    private let keys: [ServerSecrets.IdentifiedKey]

    /// Creates the codec.
    ///
    /// - Parameters:
    ///   - prefix: The text that precedes each token and makes leaked tokens recognizable.
    ///   - secrets: The server secrets; the first one encodes tokens, and all of them verify tokens.
    package init(prefix: String, secrets: ServerSecrets) {
        self.prefix = prefix
        keys = secrets.keys(for: .refreshToken)
    }

    /// Encodes a token and authenticates it with the first server secret.
    ///
    /// The number is encoded in four bytes.
    ///
    /// A number above 4,294,967,295 is clamped to this value.
    package func write(_ token: RefreshToken) -> Secret {
        let number = UInt32(clamping: token.number)
        let message =
            [keys[0].id] + token.session.bytes
            + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        return Secret(prefix + Base64URL.encode(message + keys[0].key.authenticate(message)))
    }

    /// Decodes a token that was authenticated with one of the server secrets; returns `nil` for any other
    /// text.
    ///
    /// The database is not read: the result shows that the server issued the token, but not that the token
    /// may still be used.
    ///
    /// - Parameter text: The text that a client presents; it must begin with the prefix of this codec.
    /// - Returns: The session and the number. The MAC is compared in constant time.
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
