import LatchkeyModel

/// The message templates for all kinds of messages and all languages.
package struct MessageCatalog: Sendable {
    private typealias Templates = [Language: [MessageKind: MessageTemplates]]

    /// The built-in templates, without the operator's replacements.
    package static let builtIn = MessageCatalog()

    /// The built-in templates that have been parsed.
    ///
    /// They are parsed lazily, because most servers use few kinds and languages.
    private static let read = Locked<Templates>([:])

    /// The templates from the operator's files, which take precedence over the built-in ones.
    private var replaced: Templates = [:]

    private init() {}

    /// The templates for a given kind and language: the operator's templates, or else the built-in ones.
    ///
    /// Setting a value replaces all parts for that kind and language.
    subscript(kind: MessageKind, language: Language) -> MessageTemplates {
        get { replaced[language]?[kind] ?? Self.builtIn(kind, in: language) }
        set { replaced[language, default: [:]][kind] = newValue }
    }

    /// Returns the built-in templates for a kind of message, and parses them on first use.
    ///
    /// Concurrent first calls may parse the same text twice, with equal results.
    private static func builtIn(_ kind: MessageKind, in language: Language) -> MessageTemplates {
        if let known = read.withLock({ $0[language]?[kind] }) { return known }
        let templates = MessageTemplates(language.text(of: kind), in: language)
        read.withLock { $0[language, default: [:]][kind] = templates }
        return templates
    }
}

extension Language {
    /// Returns the built-in text for a kind of message.
    fileprivate func text(of kind: MessageKind) -> MessageText {
        switch self {
        case .english: .english(kind)
        case .norwegian: .norwegian(kind)
        case .swedish: .swedish(kind)
        case .finnish: .finnish(kind)
        }
    }
}
