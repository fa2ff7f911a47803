import LatchkeyModel

/// The message templates for every kind of message in every language.
package struct MessageCatalog: Sendable {
    private typealias Templates = [Language: [MessageKind: MessageTemplates]]
    private typealias Parsed = [Language: [Bool: [MessageKind: MessageTemplates]]]

    /// The built-in templates, without any customizations by the operator.
    package static let builtIn = MessageCatalog()

    /// Caches the built-in templates that have already been parsed.
    ///
    /// We parse templates lazily because most servers use only a few kinds and languages.
    ///
    /// The key between the language and the kind is whether the message has a link.
    private static let read = Locked<Parsed>([:])

    /// The operator's templates.
    ///
    /// The operator's templates take precedence over the built-in ones.
    private var replaced: Templates = [:]

    private init() {}

    /// The templates for a kind of message in a language.
    ///
    /// Uses the operator's templates if there are any, and the built-in ones otherwise.
    ///
    /// Setting a value replaces all parts of the message.
    subscript(kind: MessageKind, language: Language) -> MessageTemplates {
        get { templates(kind, in: language, withLink: true) }
        set { replaced[language, default: [:]][kind] = newValue }
    }

    /// Returns the templates for a kind of message in a language.
    ///
    /// The built-in ones have a variant for mails without a link.
    func templates(_ kind: MessageKind, in language: Language, withLink hasLink: Bool) -> MessageTemplates {
        replaced[language]?[kind] ?? Self.builtIn(kind, in: language, withLink: hasLink)
    }

    /// Returns the built-in templates for a kind of message, parsing them on first use.
    ///
    /// If two callers need a template at the same time, both may parse it, which is harmless because the
    /// results are equal.
    private static func builtIn(
        _ kind: MessageKind,
        in language: Language,
        withLink hasLink: Bool
    ) -> MessageTemplates {
        if let known = read.withLock({ $0[language]?[hasLink]?[kind] }) { return known }
        let templates = MessageTemplates(language.text(of: kind), in: language, withLink: hasLink)
        read.withLock { $0[language, default: [:]][hasLink, default: [:]][kind] = templates }
        return templates
    }
}

extension Language {
    /// Returns the built-in text for the given kind of message.
    fileprivate func text(of kind: MessageKind) -> MessageText {
        switch self {
        case .english: .english(kind)
        case .norwegian: .norwegian(kind)
        case .swedish: .swedish(kind)
        case .finnish: .finnish(kind)
        }
    }
}
