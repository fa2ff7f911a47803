import Latchkey
import LatchkeyWire

/// Formats a session as text or JSON.
///
/// Traits that the identity doesn't have are left out.
enum SessionText {
    /// Writes a session to standard output.
    ///
    /// With `--json`, the session is written as JSON. Without `--json`, the given sentence is printed first,
    /// followed by the session as text.
    static func write(
        _ session: UserSession,
        after sentence: String,
        arguments: Arguments,
        to console: Console
    ) {
        guard !arguments.has("json") else { return console.write(json: json(for: session)) }
        console.write(sentence)
        console.write(lines: lines(for: session))
    }

    /// Formats a session as text.
    ///
    /// Each line starts with a label.
    static func lines(for session: UserSession) -> [String] {
        let identity = session.identity
        var lines = ["identity  \(identity.id)"]
        if !identity.schema.isEmpty { lines.append("schema    \(identity.schema)") }
        if let phone = identity.phone { lines.append("phone     \(phone.e164)") }
        if let email = identity.email { lines.append("email     \(email.address)") }
        if let name = identity.name { lines.append("name      \(name.first) \(name.last)") }
        lines.append("session   \(session.id)")
        if let expiresAt = session.expiresAt { lines.append("until     \(Timestamp(expiresAt))") }
        return lines
    }

    /// Formats a session as JSON.
    ///
    /// The object has one member, `session`, which contains `id`, `identity` and, if the expiry date is
    /// known, `expires_at`.
    static func json(for session: UserSession) -> JSONValue {
        let identity = session.identity
        var identityMembers: [String: JSONValue] = [
            "id": .string(identity.id), "schema": .string(identity.schema),
        ]
        identityMembers["phone"] = identity.phone.map { .string($0.e164) }
        identityMembers["email"] = identity.email.map { .string($0.address) }
        identityMembers["name"] = identity.name.map {
            .object(["first": .string($0.first), "last": .string($0.last)])
        }
        var members: [String: JSONValue] = ["id": .string(session.id), "identity": .object(identityMembers)]
        members["expires_at"] = session.expiresAt.map { .string(Timestamp($0).description) }
        return .object(["session": .object(members)])
    }

    /// Encodes a value as a single line of JSON, or as `{}` if it can't be encoded.
    static func compact(_ value: JSONValue) -> String {
        (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
