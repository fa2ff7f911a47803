import LatchkeyModel
import LatchkeyWire

/// A JSON text with places for the parts of a message.
///
/// A place stands within a string and what fills it stays within that string, whatever it holds.
package struct RequestTemplate: Sendable {
    /// A text that is no template, and why.
    package struct Malformed: Error {
        package let reason: String
    }

    /// What can be put into a request, by the way that the message takes.
    package static func places(for channel: Message.Channel) -> [String] {
        switch channel {
        case .sms: ["phone", "to", "text", "code", "id"]
        case .email: ["to", "subject", "text", "html", "code", "id"]
        }
    }

    private let json: JSONValue

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - text: JSON whose strings may hold places such as `{{text}}`.
    ///   - channel: Which messages it is for.
    /// - Throws: ``Malformed``.
    package init(_ text: String, for channel: Message.Channel) throws(Malformed) {
        guard let json = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) else {
            throw Malformed(reason: "is no JSON")
        }
        if let unknown = Self.unknownPlace(in: json, Self.places(for: channel)) {
            throw Malformed(reason: "has a place {{\(unknown)}} that nothing fills")
        }
        self.json = json
    }

    /// The JSON for a message.
    package func fill(_ message: Message, id: String) -> [UInt8] {
        let parts = [
            "phone": message.recipient, "to": message.recipient, "id": id,
            "subject": message.subject?.exposed ?? "", "text": message.body.exposed,
            "html": message.html?.exposed ?? "", "code": message.code?.exposed ?? "",
        ]
        var writer = JSONWriter()
        writer.value(Self.fill(json, parts))
        return writer.bytes
    }

    private static func fill(_ json: JSONValue, _ parts: [String: String]) -> JSONValue {
        switch json {
        case .string(let text):
            .string(pieces(of: text).map { $0.isPlace ? parts[$0.text] ?? "" : $0.text }.joined())
        case .array(let values):
            .array(values.map { fill($0, parts) })
        case .object(let members):
            .object(members.mapValues { fill($0, parts) })
        case .null, .bool, .integer, .double:
            json
        }
    }

    private static func unknownPlace(in json: JSONValue, _ known: [String]) -> String? {
        switch json {
        case .string(let text):
            pieces(of: text).first { $0.isPlace && !known.contains($0.text) }?.text
        case .array(let values):
            values.lazy.compactMap { unknownPlace(in: $0, known) }.first
        case .object(let members):
            members.values.lazy.compactMap { unknownPlace(in: $0, known) }.first
        case .null, .bool, .integer, .double:
            nil
        }
    }

    /// Cuts a text at its places, in one pass: what fills a place is never looked at again.
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
