import LatchkeyModel
import LatchkeyWire

/// A JSON text with places for the parts of a message.
///
/// A place stands within a string and what fills it stays within that string, whatever it holds.
package struct MessageTemplate: Sendable {
    /// A text that is no template, and why.
    package struct Malformed: Error {
        package let reason: String
    }

    private let json: JSONValue

    /// Reads a template.
    ///
    /// - Parameter text: JSON whose strings may hold `{{phone}}`, `{{text}}`, `{{code}}` and `{{id}}`.
    /// - Throws: ``Malformed``.
    package init(_ text: String) throws(Malformed) {
        guard let json = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) else {
            throw Malformed(reason: "is no JSON")
        }
        if let unknown = Self.unknownPlace(in: json) {
            throw Malformed(reason: "has a place {{\(unknown)}} that nothing fills")
        }
        self.json = json
    }

    /// The JSON for a message.
    func fill(_ message: Message, id: String) -> [UInt8] {
        let parts = [
            "phone": message.recipient, "text": message.body.exposed,
            "code": message.code?.exposed ?? "", "id": id,
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

    private static func unknownPlace(in json: JSONValue) -> String? {
        switch json {
        case .string(let text):
            pieces(of: text).first { $0.isPlace && !["phone", "text", "code", "id"].contains($0.text) }?.text
        case .array(let values):
            values.lazy.compactMap(unknownPlace).first
        case .object(let members):
            members.values.lazy.compactMap(unknownPlace).first
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
