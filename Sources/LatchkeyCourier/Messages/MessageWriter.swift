package import LatchkeyModel
package import LatchkeyServerKit

/// Renders messages to users from the templates for a kind of message and a language.
package struct MessageWriter: Sendable {
    private let catalog: MessageCatalog
    private let app: String?
    private let language: Language

    /// Creates a writer that renders messages from templates.
    ///
    /// - Parameters:
    ///   - catalog: The templates, which are the built-in ones by default.
    ///   - app: The display name of the service; `nil` omits it from messages.
    ///   - language: The language for users whose requested languages are not available.
    package init(
        _ catalog: MessageCatalog = .builtIn,
        app: String? = nil,
        language: Language = .english
    ) {
        self.language = language
        self.catalog = catalog
        self.app = app
    }

    /// Returns the language for messages that a request triggers, as selected by the request's
    /// `Accept-Language` header.
    ///
    /// If the header field is missing or lists no available language, the result is the writer's default
    /// language.
    package func language(of context: RequestContext) -> Language {
        Language(of: context, default: language)
    }

    /// Renders a message with a new id.
    ///
    /// - Parameters:
    ///   - kind: The kind of the message, which selects the template.
    ///   - recipient: The phone number or e-mail address of the recipient.
    ///   - channel: The channel of the message.
    ///   - code: The code, for kinds of messages that contain one; `nil` for all others.
    ///   - lifespan: The lifespan of the code, after which the message expires, or the time until a deletion; a
    ///     message without a code does not expire.
    ///   - language: The language of the texts.
    ///   - app: The display name of the service in this message; `nil` uses the writer's display name.
    ///   - peer: The client address of the request that triggered the message; `nil` omits it.
    ///   - now: The time at which the code was created.
    ///   - random: The source of the message's id.
    /// - Returns: The message, to be passed to ``Courier/enqueue(_:about:asDecoy:isAwaited:in:)``.
    package func message(
        _ kind: MessageKind,
        to recipient: String,
        by channel: Message.Channel,
        code: OneTimeCode? = nil,
        lifespan: Duration = .zero,
        language: Language,
        app: String? = nil,
        from peer: PeerAddress? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) -> Message {
        let templates = catalog[kind, language]
        let values = TemplateValues(
            code: code?.exposed,
            lifespan: lifespan,
            language: language,
            app: app ?? self.app,
            address: recipient,
            ipAddress: peer?.host
        )
        let isMail = channel == .email
        return Message(
            id: Identifier(random: random),
            channel: channel,
            template: kind.rawValue,
            recipient: recipient,
            subject: isMail ? templates.subject.fill(values) : nil,
            body: isMail ? templates.mail.fill(values) : templates.sms.fill(values),
            html: isMail ? templates.html.fill(values) : nil,
            code: code.map { Secret($0.exposed) },
            expiresAt: code == nil ? nil : now + lifespan
        )
    }
}
