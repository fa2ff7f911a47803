import LatchkeyCrypto
package import LatchkeyModel

/// Writes refresh tokens and reads those that come back.
///
/// A token is derived, never stored: the id of the secret, the session, the number, and an HMAC over these.
/// So the same number gives the same token as often as it is asked for, and the database holds nothing to steal.
package struct RefreshTokenCodec: Sendable {
    private static let messageLength = 1 + 16 + 4

    private let prefix: String
    private let keys: [ServerSecrets.IdentifiedKey]

    package init(prefix: String, secrets: ServerSecrets) {
        self.prefix = prefix
        keys = secrets.keys(for: .refreshToken)
    }

    /// Writes a token under the first of the server's secrets.
    package func write(_ token: RefreshToken) -> Secret {
        let number = UInt32(clamping: token.number)
        let message =
            [keys[0].id] + token.session.bytes
            + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        return Secret(prefix + Base64URL.encode(message + keys[0].key.authenticate(message)))
    }

    /// Reads a token that any of the server's secrets made; nothing from every other text.
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
