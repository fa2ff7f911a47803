import LatchkeyModel
import LatchkeyWire

/// A JSON template with placeholders such as `{{text}}` in its strings.
///
/// A value is escaped and inserted within a string, so it cannot change the structure of the JSON.
package struct RequestTemplate: Sendable {
    /// The error for a string that is not a valid template.
    package struct Malformed: Error {
        /// The reason, worded to follow the key of the setting, such as "is not valid JSON".
        package let reason: String
    }

    /// Returns the names of the placeholders that are available for a channel.
    ///
    /// The names are written between `{{` and `}}`, and spaces within the braces are ignored.
    package static func places(for channel: Message.Channel) -> [String] {
        switch channel {
        case .sms: ["phone", "to", "text", "code", "id"]
        case .email: ["to", "subject", "text", "html", "code", "id"]
        }
    }

    /// The parsed template, in which placeholders are replaced in string values, but not in the names of
    /// members.
    private let json: JSONValue

    /// Parses a template.
    ///
    /// - Parameters:
    ///   - text: The JSON text, whose strings may contain placeholders.
    ///   - channel: The channel, which determines the available placeholders.
    /// - Throws: ``Malformed`` if the text is not JSON or has an unknown placeholder.
    package init(_ text: String, for channel: Message.Channel) throws(Malformed) {
        guard let json = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) else {
            throw Malformed(reason: "is not valid JSON")
        }
        if let unknown = Self.unknownPlace(in: json, known: Self.places(for: channel)) {
            throw Malformed(reason: "contains the unknown placeholder {{\(unknown)}}")
        }
        self.json = json
    }

    /// Returns the JSON for a message, with an empty string for each part that the message does not have.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - id: The value of `{{id}}`, which is the idempotency key of the message.
    /// - Returns: The JSON text in UTF-8.
    package func fill(_ message: Message, id: String) -> [UInt8] {
        let parts = [
            "phone": message.recipient, "to": message.recipient, "id": id,
            "subject": message.subject?.exposed ?? "", "text": message.body.exposed,
            "html": message.html?.exposed ?? "", "code": message.code?.exposed ?? "",
        ]
        var writer = JSONWriter()
        writer.value(Self.fill(json, with: parts))
        return writer.bytes
    }

    /// Returns the value with the placeholders in all of its strings replaced.
    private static func fill(_ json: JSONValue, with parts: [String: String]) -> JSONValue {
        switch json {
        case .string(let text):
            .string(pieces(of: text).map { $0.isPlace ? parts[$0.text] ?? "" : $0.text }.joined())
        case .array(let values):
            .array(values.map { fill($0, with: parts) })
        case .object(let members):
            .object(members.mapValues { fill($0, with: parts) })
        case .null, .bool, .integer, .double:
            json
        }
    }

    /// Returns the first placeholder that is not available, without checking the names of members.
    private static func unknownPlace(in json: JSONValue, known: [String]) -> String? {
        switch json {
        case .string(let text):
            pieces(of: text).first { $0.isPlace && !known.contains($0.text) }?.text
        case .array(let values):
            values.lazy.compactMap { unknownPlace(in: $0, known: known) }.first
        case .object(let members):
            members.values.lazy.compactMap { unknownPlace(in: $0, known: known) }.first
        case .null, .bool, .integer, .double:
            nil
        }
    }

    /// Splits a string at its placeholders in one pass, so inserted values are not searched for placeholders.
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
