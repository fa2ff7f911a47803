import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Encrypts the content of messages in the outbox (AES-GCM).
///
/// The recipient is also stored in plain text, in a separate column.
struct MessageSealer: Sendable {
    /// The content of a message in the form in which it is sealed.
    ///
    /// The names of its members must not change, because messages remain in the outbox while the server is
    /// upgraded.
    private struct Content: Codable {
        var recipient: String
        var subject: String?
        var body: String
        var html: String?
        var code: String?
        /// The expiry in microseconds since 1970; `nil` if the message does not expire.
        var expiresAt: Int64?
    }

    /// The keys derived from all secrets, the first of which is used for sealing.
    private let keys: [AESGCM]

    /// Creates a sealer that seals content with the first of the server's secrets, and can open content that
    /// was sealed with any of them.
    ///
    /// The keys are derived only once, in this initializer.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL rejects a key.
    init(_ secrets: ServerSecrets) throws(CryptoError) {
        var keys: [AESGCM] = []
        for bytes in secrets.allKeyBytes(for: .message) { keys.append(try AESGCM(key: bytes)) }
        self.keys = keys
    }

    /// Encrypts a message's content and binds it to the message's id.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - random: The source of the nonce.
    /// - Returns: The sealed content.
    /// - Throws: ``CryptoError``, or `EncodingError`.
    func seal(_ message: Message, random: some RandomSource) throws -> [UInt8] {
        let content = Content(
            recipient: message.recipient,
            subject: message.subject?.exposed,
            body: message.body.exposed,
            html: message.html?.exposed,
            code: message.code?.exposed,
            expiresAt: message.expiresAt?.microseconds
        )
        return try keys[0].seal(JSONCoding.encode(content), context: message.id.bytes, random: random)
    }

    /// Opens the content of a leased message.
    ///
    /// Returns `nil` if none of the secrets can open the content, for example because it was sealed for
    /// another row.
    ///
    /// - Parameter leased: The message, which must have the id that the content was sealed for.
    /// - Returns: The message; `nil` if the content cannot be opened, or if this version of the server does
    ///   not know the channel.
    func open(_ leased: LeasedMessage) -> Message? {
        guard let channel = Message.Channel(rawValue: leased.channel) else { return nil }
        for key in keys {
            guard
                let bytes = try? key.open(leased.sealed, context: leased.id.bytes),
                let content = try? JSONCoding.decode(Content.self, from: bytes)
            else { continue }
            return Message(
                id: leased.id,
                channel: channel,
                template: leased.template,
                recipient: content.recipient,
                subject: content.subject.map { Secret($0) },
                body: Secret(content.body),
                html: content.html.map { Secret($0) },
                code: content.code.map { Secret($0) },
                expiresAt: content.expiresAt.map { Timestamp(microseconds: $0) }
            )
        }
        return nil
    }
}
