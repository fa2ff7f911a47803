/// The words of forms in every language, and an operator's own in their place.
package struct FormTexts: Sendable {
    /// The words that come with the server.
    package static let builtIn = FormTexts(replacing: [:])

    private let words: [Language: FormWords]

    /// Creates the words.
    ///
    /// - Parameter own: An operator's texts by the English ones, for each language. The title of a trait in an identity
    ///   schema can be among them: so it is put into other languages.
    package init(replacing own: [Language: [String: String]]) {
        words = Dictionary(
            uniqueKeysWithValues: Language.allCases.map { language in
                let table = FormText.table(of: language).map { ($0.key.rawValue, $0.value) }
                return (
                    language,
                    FormWords(Dictionary(uniqueKeysWithValues: table).merging(own[language] ?? [:]) { $1 })
                )
            }
        )
    }

    /// The words of a language.
    package subscript(language: Language) -> FormWords {
        words[language] ?? FormWords([:])
    }
}

extension FormText {
    /// All texts in a language; none for English, which they are in already.
    static func table(of language: Language) -> [FormText: String] {
        switch language {
        case .english: [:]
        case .norwegian: norwegian
        case .swedish: swedish
        case .finnish: finnish
        }
    }
}
