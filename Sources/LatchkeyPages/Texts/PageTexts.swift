package import LatchkeyCourier
package import LatchkeySelfService
import LatchkeyWire

/// The texts of pages in one language, including the operator's replacements.
package struct PageTexts: Sendable {
    package let language: Language
    private let translation: FormTranslation

    fileprivate init(_ language: Language, translation: FormTranslation) {
        self.language = language
        self.translation = translation
    }

    func callAsFunction(_ text: PageText) -> String { translation.template(text.rawValue) }

    func callAsFunction(_ text: FormText) -> String { translation.template(text.rawValue) }

    func callAsFunction(_ message: UIMessage) -> String { translation.text(of: message) }

    /// Returns a text with its values, for places without markup.
    func callAsFunction(_ text: PageText, with values: [PageText.Placeholder: UntrustedText]) -> String {
        parts(of: text, with: values).map { part in
            switch part {
            case .words(let words): words
            case .value(let value): value.isolated
            }
        }.joined()
    }

    /// Returns a text with its values, which are isolated by elements of their own.
    func html(_ text: PageText, with values: [PageText.Placeholder: UntrustedText] = [:]) -> HTML {
        HTML { html in
            for part in parts(of: text, with: values) {
                switch part {
                case .words(let words): html.text(words)
                case .value(let value): html.untrusted(value)
                }
            }
        }
    }

    private enum Part {
        case words(String)
        case value(UntrustedText)
    }

    /// Splits a text at its placeholders.
    ///
    /// Values aren't searched for placeholders. Unknown placeholders, which an operator's text could contain,
    /// stay unchanged.
    private func parts(of text: PageText, with values: [PageText.Placeholder: UntrustedText]) -> [Part] {
        var (parts, rest) = ([Part](), self(text)[...])
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            let next = rest.index(after: close)
            if let value = PageText.Placeholder(rawValue: name).flatMap({ values[$0] }) {
                parts += [.words(String(rest[..<open])), .value(value)]
            } else {
                parts.append(.words(String(rest[..<next])))
            }
            rest = rest[next...]
        }
        return parts + [.words(String(rest))]
    }
}

extension FormTranslations {
    /// Returns the texts with those of pages added to them.
    ///
    /// The operator's replacements take precedence.
    package func addingPages() -> FormTranslations {
        adding { language in
            let table = PageText.table(of: language).map { ($0.key.rawValue, $0.value) }
            return Dictionary(uniqueKeysWithValues: table)
        }
    }

    /// Returns the texts of pages in a language.
    func pages(in language: Language) -> PageTexts {
        PageTexts(language, translation: self[language])
    }
}
