import LatchkeyServerCore

extension ConfigurationKey {
    /// The settings of the courier: text messages, then mail.
    static let courier = messages + mail

    private static let messages = [
        ConfigurationKey(
            "courier.kind",
            \.courier.kind,
            .choice,
            "How text messages are sent: development shows codes on the terminal, http calls a provider."
        ),
        ConfigurationKey(
            "courier.allow_development",
            \.courier.allowsDevelopment,
            .toggle,
            "Whether the development courier may be used by a server that other machines reach."
        ),
        ConfigurationKey(
            "courier.wait",
            \.courier.wait,
            .duration(.zero ... .seconds(60)),
            "How long a client waits for the first attempt to send its message."
        ),
        ConfigurationKey(
            "courier.app",
            \.courier.app,
            .optional(.text),
            "What people know the service as, for messages."
        ),
        ConfigurationKey(
            "courier.language",
            \.courier.language,
            .choice,
            "The language of people who ask for none that there is."
        ),
        ConfigurationKey(
            "courier.retention",
            \.lifespans.sentMessage,
            .duration(.seconds(3600) ... .seconds(3660 * 86_400)),
            "For how long a message is listed after it was sent or given up; its text is wiped at once."
        ),
        ConfigurationKey(
            "courier.templates",
            \.courier.templates,
            .optional(.text),
            "A folder of your own texts: LANGUAGE/KIND.sms.txt, .mail.subject.txt, .mail.txt and .mail.html."
        ),
        ConfigurationKey(
            "courier.workers",
            \.courier.workers,
            .number(1...64),
            "How many text messages, and how many mails, are sent at once."
        ),
        ConfigurationKey("courier.url", \.courier.url, .callable, "The provider's address."),
        ConfigurationKey(
            "courier.headers",
            \.courier.headers,
            .secrets,
            "Header fields of the request to the provider, such as its key."
        ),
        ConfigurationKey(
            "courier.body",
            \.courier.body,
            .template(for: .sms),
            "The request's body: JSON whose texts may hold {{phone}}, {{text}}, {{code}} and {{id}}."
        ),
        ConfigurationKey(
            "courier.timeout",
            \.courier.timeout,
            .duration(.milliseconds(100) ... .seconds(120)),
            "How long one attempt to reach the provider may take."
        ),
    ]

    private static let mail = [
        ConfigurationKey(
            "courier.mail.kind",
            \.courier.mail.kind,
            .optional(.choice),
            "How mail is sent: development shows it on the terminal, smtp hands it to a mail server, http calls a provider."
        ),
        ConfigurationKey(
            "courier.mail.url",
            \.courier.mail.url,
            .mailServer,
            "The mail server, smtps://HOST or smtp://HOST, or the provider's address."
        ),
        ConfigurationKey(
            "courier.mail.user",
            \.courier.mail.user,
            .optional(.text),
            "Who hands in the mail, where the mail server wants to know."
        ),
        ConfigurationKey("courier.mail.password", \.courier.mail.password, .secret, "The user's password."),
        ConfigurationKey(
            "courier.mail.starttls",
            \.courier.mail.startTLS,
            .choice,
            "Whether a connection to smtp:// becomes secret; never is for a mail server on the same machine."
        ),
        ConfigurationKey(
            "courier.mail.certificates",
            \.courier.mail.certificates,
            .optional(.text),
            "A file of certificates (PEM) to trust in place of the system's, for a mail server of your own."
        ),
        ConfigurationKey(
            "courier.mail.greeting",
            \.courier.mail.greeting,
            .hostName,
            "What the server introduces itself as to the mail server; the machine's name when not set."
        ),
        ConfigurationKey(
            "courier.mail.from",
            \.courier.mail.from,
            .email,
            "The address that mail comes from."
        ),
        ConfigurationKey(
            "courier.mail.name",
            \.courier.mail.name,
            .optional(.text),
            "What people see beside that address; courier.app when not set."
        ),
        ConfigurationKey(
            "courier.mail.headers",
            \.courier.mail.headers,
            .secrets,
            "Header fields of the request to a provider, such as its key."
        ),
        ConfigurationKey(
            "courier.mail.body",
            \.courier.mail.body,
            .template(for: .email),
            "The request's body: JSON whose texts may hold {{to}}, {{subject}}, {{text}}, {{html}}, {{code}} and {{id}}."
        ),
        ConfigurationKey(
            "courier.mail.timeout",
            \.courier.mail.timeout,
            .duration(.milliseconds(100) ... .seconds(120)),
            "How long one attempt to send a mail may take."
        ),
    ]
}
