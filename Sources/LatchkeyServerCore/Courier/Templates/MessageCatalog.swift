import LatchkeyModel

/// The texts of all kinds of messages in all languages.
package struct MessageCatalog: Sendable {
    private typealias Templates = [Language: [MessageKind: MessageTemplates]]

    /// The texts that come with the server.
    package static let builtIn = MessageCatalog()

    /// Those of them that were asked for: most servers send a few kinds in a language or two.
    private static let read = Locked<Templates>([:])

    /// The texts that take the place of built-in ones.
    private var replaced: Templates = [:]

    private init() {}

    subscript(kind: MessageKind, language: Language) -> MessageTemplates {
        get { replaced[language]?[kind] ?? Self.builtIn(kind, language) }
        set { replaced[language, default: [:]][kind] = newValue }
    }

    private static func builtIn(_ kind: MessageKind, _ language: Language) -> MessageTemplates {
        if let known = read.withLock({ $0[language]?[kind] }) { return known }
        let templates = MessageTemplates(language.text(of: kind), language)
        read.withLock { $0[language, default: [:]][kind] = templates }
        return templates
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
