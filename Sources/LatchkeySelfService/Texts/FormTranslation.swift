package import LatchkeyWire

/// The texts of forms in one language.
package struct FormTranslation: Sendable {
    /// The translations by their English originals; empty for English without replacements.
    private let table: [String: String]

    /// Creates the texts of a language from translations, by their English originals.
    init(_ table: [String: String]) {
        self.table = table
    }

    /// Returns the text of a message, translated if possible, with the values of its context filled in.
    ///
    /// A text without a translation stays English: titles of traits, for example, unless the operator
    /// translates them. Lists are joined with commas.
    package func text(of message: UIMessage) -> String {
        let text = table[message.text] ?? message.text
        guard let context = message.context, text.utf8.contains(UInt8(ascii: "{")) else { return text }
        return Self.fill(text[...], with: context)
    }

    /// Replaces placeholders by values, which are not searched again; unknown placeholders stay unchanged.
    ///
    /// A value from a submission can therefore contain braces without being expanded.
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
