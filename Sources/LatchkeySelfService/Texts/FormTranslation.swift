package import LatchkeyWire

/// The form texts in one language.
package struct FormTranslation: Sendable {
    /// The translations, keyed by English text.
    ///
    /// For English, the table is empty unless the operator replaces texts.
    private let table: [String: String]

    /// Creates the texts of a language from translations, keyed by English text.
    init(_ table: [String: String]) {
        self.table = table
    }

    /// Returns the texts with others added to them, which don't replace existing ones.
    func adding(_ others: [String: String]) -> FormTranslation {
        FormTranslation(table.merging(others) { own, _ in own })
    }

    /// Returns the translation of an English text with its placeholders unchanged.
    package func template(_ text: String) -> String {
        table[text] ?? text
    }

    /// Returns the text of a message in this language, with its placeholders replaced by values from the
    /// context.
    ///
    /// Texts without a translation stay in English. For example, there are no built-in translations for trait
    /// titles. Lists are joined with commas.
    package func text(of message: UIMessage) -> String {
        let text = template(message.text)
        guard let context = message.context, text.utf8.contains(UInt8(ascii: "{")) else { return text }
        return Self.fill(text[...], with: context)
    }

    /// Replaces each placeholder with its value.
    ///
    /// Unknown placeholders stay unchanged.
    ///
    /// Inserted values aren't searched for placeholders, so braces in a submitted value have no effect.
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

    /// Returns a value as text, or `nil` if placeholders don't support its type.
    private static func words(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .array(let values): values.compactMap(words).joined(separator: ", ")
        case .null, .bool, .double, .number, .object: nil
        }
    }
}
