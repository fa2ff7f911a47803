package import LatchkeyModel
package import LatchkeyServerKit

/// Renders messages in a given language.
package struct MessageWriter: Sendable {
    private let catalog: MessageCatalog
    private let app: String?
    private let language: Language

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - catalog: The message templates. By default, the built-in templates are used.
    ///   - app: The service name that is shown in messages. If `nil`, messages don't mention a name.
    ///   - language: The language that is used when none of the user's preferred languages are supported.
    package init(
        _ catalog: MessageCatalog = .builtIn,
        app: String? = nil,
        language: Language = .english
    ) {
        self.language = language
        self.catalog = catalog
        self.app = app
    }

    /// Returns the language for messages that are triggered by a request.
    ///
    /// If there is no request, this is the writer's default language. The language is selected using the
    /// request's `Accept-Language` header. If the header is missing or doesn't contain an available language,
    /// the writer's default language is used.
    package func language(of context: RequestContext?) -> Language {
        context.map { Language(of: $0, default: language) } ?? language
    }

    /// Renders a message with a new id.
    ///
    /// - Parameters:
    ///   - kind: The kind of message, which determines the template.
    ///   - recipient: The recipient's phone number or e-mail address.
    ///   - channel: The channel to send the message through.
    ///   - code: The code, if this kind of message contains one.
    ///   - link: The address at which the code can be confirmed, if there is one.
    ///   - details: The values for messages about payments.
    ///   - lifespan: How long the code is valid, or the time until the account is deleted. The message
    ///     expires when the code does. Messages without a code never expire.
    ///   - language: The language of the message.
    ///   - app: The service name to show in this message. If `nil`, the writer's service name is used.
    ///   - peer: The client address of the request that triggered the message. If `nil`, the message doesn't
    ///     mention an address.
    ///   - now: When the code was created.
    ///   - random: The source of randomness for the message id.
    /// - Returns: The message, ready to be passed to ``Courier/enqueue(_:about:asDecoy:isAwaited:in:)``.
    package func message(
        _ kind: MessageKind,
        to recipient: String,
        by channel: Message.Channel,
        code: OneTimeCode? = nil,
        link: String? = nil,
        details: MessageDetails? = nil,
        lifespan: Duration = .zero,
        language: Language,
        app: String? = nil,
        from peer: PeerAddress? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) -> Message {
        let templates = catalog.templates(kind, in: language, withLink: link != nil)
        let values = TemplateValues(
            code: code?.exposed,
            link: link,
            details: details,
            lifespan: lifespan,
            language: language,
            app: app ?? self.app,
            address: recipient,
            ipAddress: peer?.address.description
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
