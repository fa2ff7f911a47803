import LatchkeyIDNA
import LatchkeyModel
import LatchkeyWire

/// A JSON template with strings that can contain placeholders such as `{{text}}`.
///
/// Values are escaped when they are inserted into a string, so they can't change the structure of the JSON.
package struct RequestTemplate: Sendable {
    /// Thrown when a string isn't a valid template.
    package struct Malformed: Error {
        /// The reason, phrased so that it can follow the key of a setting, such as "is not valid JSON".
        package let reason: String
    }

    /// Returns the names of the placeholders that can be used on a channel.
    ///
    /// In a template, placeholder names are enclosed in `{{` and `}}`. Spaces inside the braces are ignored.
    package static func places(for channel: Message.Channel) -> [String] {
        switch channel {
        case .sms: ["phone", "to", "text", "code", "id"]
        case .email: ["to", "subject", "text", "html", "code", "id"]
        }
    }

    /// The parsed template.
    ///
    /// Placeholders are replaced in string values, but not in member names.
    private let json: JSONValue

    /// Parses a template.
    ///
    /// - Parameters:
    ///   - text: JSON text with strings that may contain placeholders.
    ///   - channel: The channel, which determines which placeholders are available.
    /// - Throws: ``Malformed`` if the text isn't valid JSON or contains an unknown placeholder.
    package init(_ text: String, for channel: Message.Channel) throws(Malformed) {
        guard let json = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) else {
            throw Malformed(reason: "is not valid JSON")
        }
        if let unknown = Self.unknownPlace(in: json, known: Self.places(for: channel)) {
            throw Malformed(reason: "contains the unknown placeholder {{\(unknown)}}")
        }
        self.json = json
    }

    /// Returns the JSON for a message.
    ///
    /// If the message doesn't have a value for a placeholder, the placeholder is replaced with an empty
    /// string.
    ///
    /// - Parameters:
    ///   - message: The message whose values replace the placeholders. The domain of an e-mail address is
    ///     inserted in its ASCII form.
    ///   - id: The value of `{{id}}`, which is the message's idempotency key.
    /// - Returns: The JSON text, encoded as UTF-8.
    package func fill(_ message: Message, id: String) -> [UInt8] {
        let recipient = EmailAddress(message.recipient)?.withASCIIDomain?.address ?? message.recipient
        let parts = [
            "phone": recipient, "to": recipient, "id": id,
            "subject": message.subject?.exposed ?? "", "text": message.body.exposed,
            "html": message.html?.exposed ?? "", "code": message.code?.exposed ?? "",
        ]
        var writer = JSONWriter()
        writer.value(Self.fill(json, with: parts))
        return writer.bytes
    }

    /// Replaces the placeholders in all strings of a JSON value.
    private static func fill(_ json: JSONValue, with parts: [String: String]) -> JSONValue {
        switch json {
        case .string(let text):
            .string(pieces(of: text).map { $0.isPlace ? parts[$0.text] ?? "" : $0.text }.joined())
        case .array(let values):
            .array(values.map { fill($0, with: parts) })
        case .object(let members):
            .object(members.mapValues { fill($0, with: parts) })
        case .null, .bool, .integer, .double, .number:
            json
        }
    }

    /// Returns the first unknown placeholder.
    ///
    /// Member names are not checked.
    private static func unknownPlace(in json: JSONValue, known: [String]) -> String? {
        switch json {
        case .string(let text):
            pieces(of: text).first { $0.isPlace && !known.contains($0.text) }?.text
        case .array(let values):
            values.lazy.compactMap { unknownPlace(in: $0, known: known) }.first
        case .object(let members):
            members.values.lazy.compactMap { unknownPlace(in: $0, known: known) }.first
        case .null, .bool, .integer, .double, .number:
            nil
        }
    }

    /// Splits a string at its placeholders in a single pass, so that inserted values are never searched for
    /// placeholders.
    private static func pieces(of text: String) -> [(text: String, isPlace: Bool)] {
        var pieces: [(text: String, isPlace: Bool)] = []
        var rest = text[...]
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}")
        {
            pieces.append((String(rest[..<open.lowerBound]), false))
            let name = rest[open.upperBound..<close.lowerBound]
            pieces.append((name.filter { $0 != " " }, true))
            rest = rest[close.upperBound...]
        }
        pieces.append((String(rest), false))
        return pieces
    }
}
