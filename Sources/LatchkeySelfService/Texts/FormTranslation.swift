package import LatchkeyWire

/// The form texts in one language.
package struct FormTranslation: Sendable {
    /// The translations, keyed by English text; empty for English without replacements.
    private let table: [String: String]

    /// Creates the texts of a language from translations that are keyed by the English text.
    init(_ table: [String: String]) {
        self.table = table
    }

    /// Returns the text of a message in this language, with values from the context in place of its
    /// placeholders.
    ///
    /// Text without a translation stays in English. For example, trait titles have no built-in translation.
    /// Lists are joined with commas.
    package func text(of message: UIMessage) -> String {
        let text = table[message.text] ?? message.text
        guard let context = message.context, text.utf8.contains(UInt8(ascii: "{")) else { return text }
        return Self.fill(text[...], with: context)
    }

    /// Replaces each placeholder with its value; unknown placeholders stay unchanged.
    ///
    /// Inserted values are not searched for placeholders, so braces in a submitted value are not expanded.
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

    /// Returns a value as text; `nil` for the types that placeholders do not support.
    private static func words(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .array(let values): values.compactMap(words).joined(separator: ", ")
        case .null, .bool, .double, .object: nil
        }
    }
}
