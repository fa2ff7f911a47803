package import LatchkeyWire

/// The words of forms in one language.
package struct FormWords: Sendable {
    private let table: [String: String]

    init(_ table: [String: String]) {
        self.table = table
    }

    /// The text of a message: in this language where there is one, and with the context's values filled in.
    package func text(of message: UIMessage) -> String {
        let text = table[message.text] ?? message.text
        guard let context = message.context, text.utf8.contains(UInt8(ascii: "{")) else { return text }
        return Self.fill(text[...], with: context)
    }

    /// Puts values in the place of their names; what was put in is not looked at again.
    private static func fill(_ text: Substring, with context: [String: JSONValue]) -> String {
        var (filled, rest) = ("", text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            filled += context[name].flatMap(words) ?? "{\(name)}"
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    private static func words(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .array(let values): values.compactMap(words).joined(separator: ", ")
        case .null, .bool, .double, .object: nil
        }
    }
}
