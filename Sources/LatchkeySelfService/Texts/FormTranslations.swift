package import LatchkeyCourier

/// The form texts in all languages, including the operator's replacements.
package struct FormTranslations: Sendable {
    /// The built-in texts, without replacements.
    package static let builtIn = FormTranslations(replacing: [:])

    /// The texts, keyed by language.
    ///
    /// There is an entry for every language.
    private let words: [Language: FormTranslation]

    /// Creates the texts for all languages.
    ///
    /// - Parameter own: The operator's texts for each language, keyed by the English texts that they replace.
    ///   Trait titles in an identity schema can be translated in the same way.
    package init(replacing own: [Language: [String: String]]) {
        words = Dictionary(
            uniqueKeysWithValues: Language.allCases.map { language in
                let table = FormText.table(of: language).map { ($0.key.rawValue, $0.value) }
                return (
                    language,
                    FormTranslation(
                        Dictionary(uniqueKeysWithValues: table).merging(own[language] ?? [:]) { $1 }
                    )
                )
            }
        )
    }

    private init(words: [Language: FormTranslation]) {
        self.words = words
    }

    /// Returns the texts with those of another module added to them.
    ///
    /// `table` returns the translations into a language, keyed by English text. Existing texts take precedence,
    /// so that the operator's replacements apply to all modules.
    package func adding(_ table: (Language) -> [String: String]) -> FormTranslations {
        var words = words
        for language in Language.allCases { words[language] = self[language].adding(table(language)) }
        return FormTranslations(words: words)
    }

    /// Returns the translations into the given language.
    package subscript(language: Language) -> FormTranslation {
        words[language] ?? FormTranslation([:])
    }
}

extension FormText {
    /// Returns the built-in translations into a language.
    ///
    /// The result is empty for English.
    static func table(of language: Language) -> [FormText: String] {
        switch language {
        case .english: [:]
        case .norwegian: norwegian
        case .swedish: swedish
        case .finnish: finnish
        }
    }
}
