import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Encrypts the content of messages in the outbox with AES-GCM.
///
/// The recipient is also stored in plain text, in a separate column.
struct MessageSealer: Sendable {
    /// The content of a message before encryption.
    ///
    /// Don't rename the properties of this type, because encrypted messages remain in the outbox while the
    /// server is being upgraded.
    private struct Content: Codable {
        var recipient: String
        var subject: String?
        var body: String
        var html: String?
        var code: String?
        /// The expiry date in microseconds since 1970, or `nil` if the message doesn't expire.
        var expiresAt: Int64?
    }

    /// One key for each server secret.
    ///
    /// The first key is used for encryption.
    private let keys: [AESGCM]

    /// Creates a sealer that encrypts with the first of the server's secrets and can decrypt with any of
    /// them.
    ///
    /// The keys are derived in this initializer, so create a sealer once and reuse it.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL rejects a key.
    init(_ secrets: ServerSecrets) throws(CryptoError) {
        var keys: [AESGCM] = []
        for bytes in secrets.allKeyBytes(for: .message) { keys.append(try AESGCM(key: bytes)) }
        self.keys = keys
    }

    /// Encrypts a message's content.
    ///
    /// The result is bound to the message id, so it can't be decrypted as part of another message.
    ///
    /// - Parameters:
    ///   - message: The message to encrypt.
    ///   - random: The source of randomness for the nonce.
    /// - Returns: The encrypted content.
    /// - Throws: ``CryptoError`` or `EncodingError`.
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

    /// Decrypts the content of a leased message.
    ///
    /// - Parameter leased: The message, with the same id as when its content was encrypted.
    /// - Returns: The message, or `nil` if none of the secrets can decrypt it or this version of the server
    ///   doesn't know its channel.
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
