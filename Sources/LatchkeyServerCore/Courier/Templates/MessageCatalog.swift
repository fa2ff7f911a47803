/// The texts of all kinds of messages in all languages.
package struct MessageCatalog: Sendable {
    private var templates: [Language: [MessageKind: MessageTemplates]] = [:]

    /// The texts that come with the server.
    package static let builtIn = MessageCatalog()

    private init() {
        for language in Language.allCases {
            for kind in MessageKind.allCases {
                templates[language, default: [:]][kind] =
                    MessageTemplates(language.text(of: kind), language)
            }
        }
    }

    subscript(kind: MessageKind, language: Language) -> MessageTemplates {
        get { templates[language]?[kind] ?? MessageTemplates(language.text(of: kind), language) }
        set { templates[language, default: [:]][kind] = newValue }
    }
}

extension Language {
    /// The built-in text.
    fileprivate func text(of kind: MessageKind) -> MessageText {
        switch self {
        case .english: .english(kind)
        case .norwegian: .norwegian(kind)
        case .swedish: .swedish(kind)
        case .finnish: .finnish(kind)
        }
    }
}
