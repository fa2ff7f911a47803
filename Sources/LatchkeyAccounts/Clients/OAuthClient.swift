package import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

/// A registered OAuth client.
package struct OAuthClient: Sendable {
    /// The member of `latchkey` that says when the secret before the last rotation expires.
    static let previousSecretExpiry = "previous_secret_expires_at"
    /// The maximum length of a client id, in bytes.
    package static let longestID = 255

    package let id: String
    package var metadata: ClientMetadata
    package var secrets: ClientSecrets
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: String,
        metadata: ClientMetadata,
        secrets: ClientSecrets,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        (self.id, self.metadata, self.secrets) = (id, metadata, secrets)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }

    /// Whether the client can't be used, because an operator has disabled it.
    package var isDisabled: Bool { metadata.own.isDisabled }

    /// Returns whether a text can be the id of a client.
    ///
    /// Ids are written in paths, in log lines and in URIs, so only unreserved characters and some others that
    /// have no meaning there are allowed.
    package static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~:/@".utf8.contains(byte)
                }
            }
    }
}

extension JSONWriter {
    /// Writes a client in the format of Hydra's API.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - secret: The client's new secret, or `nil` if the response must not contain a secret.
    package mutating func client(_ client: OAuthClient, secret: Secret? = nil) {
        object { writer in
            writer.name("client_id")
            writer.string(client.id)
            if let secret {
                writer.name("client_secret")
                writer.string(secret.exposed)
            }
            for member in client.metadata.document {
                writer.name(escaping: member.name)
                guard member.name == "latchkey", let end = client.secrets.previousUntil else {
                    writer.value(ordered: member.value)
                    continue
                }
                writer.value(ordered: member.value.adding(OAuthClient.previousSecretExpiry, as: end))
            }
            writer.name("created_at")
            writer.time(client.createdAt)
            writer.name("updated_at")
            writer.time(client.updatedAt)
        }
    }
}

extension OrderedJSON {
    fileprivate func adding(_ name: String, as time: Timestamp) -> OrderedJSON {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(name: name, value: .string(time.description))])
    }
}
