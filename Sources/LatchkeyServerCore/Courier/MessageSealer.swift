import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Hides what is in a message while it waits in the database.
struct MessageSealer: Sendable {
    /// What is sealed; the names stay as they are, for messages that wait while the server is replaced.
    private struct Content: Codable {
        var recipient: String
        var subject: String?
        var body: String
        var html: String?
        var code: String?
        var expiresAt: Int64?
    }

    private let keys: [AESGCM]

    /// Seals under the first of the server's secrets and opens under all.
    init(_ secrets: ServerSecrets) throws(CryptoError) {
        var keys: [AESGCM] = []
        for bytes in secrets.allKeyBytes(for: .message) { keys.append(try AESGCM(key: bytes)) }
        self.keys = keys
    }

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

    /// Opens what a row holds; nothing when it was sealed by others, or for another row.
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
