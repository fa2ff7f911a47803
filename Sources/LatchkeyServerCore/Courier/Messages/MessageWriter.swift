package import LatchkeyModel

/// Writes messages to people: from a kind, an address and a language to all the texts that are sent.
package struct MessageWriter: Sendable {
    private let catalog: MessageCatalog
    private let app: String?

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - catalog: The texts.
    ///   - app: What people know the service as; nothing to leave it out.
    package init(_ catalog: MessageCatalog = .builtIn, app: String? = nil) {
        self.catalog = catalog
        self.app = app
    }

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - kind: What it is about.
    ///   - address: Whom it goes to, and by mail or SMS.
    ///   - code: The code, for the kinds that carry one.
    ///   - lifespan: How long the code is good; with a code the message is of no use after that.
    ///   - language: What the person reads.
    ///   - app: What people know the service as, when it is not what it usually is.
    ///   - peer: The network address of the request that caused the message.
    ///   - now: When the code was made.
    ///   - random: The source of the message's id.
    /// - Returns: The message.
    package func message(
        _ kind: MessageKind,
        to address: Traits.Address,
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
            address: address.value,
            ipAddress: peer?.host
        )
        let isMail = address.via == .email
        return Message(
            id: Identifier(random: random),
            channel: isMail ? .email : .sms,
            template: kind.rawValue,
            recipient: address.value,
            subject: isMail ? templates.subject.fill(values) : nil,
            body: isMail ? templates.mail.fill(values) : templates.sms.fill(values),
            html: isMail ? templates.html.fill(values) : nil,
            code: code.map { Secret($0.exposed) },
            expiresAt: code == nil ? nil : now + lifespan
        )
    }
}
