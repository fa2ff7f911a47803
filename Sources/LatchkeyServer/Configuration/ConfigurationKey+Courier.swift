import LatchkeyServerCore

extension ConfigurationKey {
    /// The settings of the courier: text messages, then mail.
    static let courier = messages + mail

    private static let messages = [
        ConfigurationKey(
            "courier.kind",
            \.courier.kind,
            .choice,
            "How text messages are sent: development prints codes on the terminal, http calls a provider."
        ),
        ConfigurationKey(
            "courier.allow_development",
            \.courier.allowsDevelopment,
            .toggle,
            "Whether a server that other machines can reach may use the development courier."
        ),
        ConfigurationKey(
            "courier.wait",
            \.courier.wait,
            .duration(.zero ... .seconds(60)),
            "How long a request waits for the first attempt to send its message."
        ),
        ConfigurationKey(
            "courier.app",
            \.courier.app,
            .optional(.text),
            "The display name of the service in messages."
        ),
        ConfigurationKey(
            "courier.language",
            \.courier.language,
            .choice,
            "The language of users who request no available language."
        ),
        ConfigurationKey(
            "courier.retention",
            \.lifespans.sentMessage,
            .duration(.seconds(3600) ... .seconds(3660 * 86_400)),
            "How long the record of a sent or abandoned message is retained; its text is erased at once."
        ),
        ConfigurationKey(
            "courier.templates",
            \.courier.templates,
            .optional(.text),
            "A folder of custom message templates: LANGUAGE/KIND.sms.txt, .mail.subject.txt, .mail.txt and .mail.html."
        ),
        ConfigurationKey(
            "courier.workers",
            \.courier.workers,
            .number(1...64),
            "How many text messages, and how many e-mails, are sent concurrently."
        ),
        ConfigurationKey("courier.url", \.courier.url, .callable, "The URL of the provider."),
        ConfigurationKey(
            "courier.headers",
            \.courier.headers,
            .secrets,
            "Header fields of requests to the provider, such as an API key."
        ),
        ConfigurationKey(
            "courier.body",
            \.courier.body,
            .template(for: .sms),
            "The body of requests to the provider: JSON whose strings may contain {{phone}}, {{text}}, {{code}} and {{id}}."
        ),
        ConfigurationKey(
            "courier.timeout",
            \.courier.timeout,
            .duration(.milliseconds(100) ... .seconds(120)),
            "The timeout of a request to the provider."
        ),
    ]

    private static let mail = [
        ConfigurationKey(
            "courier.mail.kind",
            \.courier.mail.kind,
            .optional(.choice),
            "How e-mail is sent: development prints it on the terminal, smtp uses a mail server, http calls a provider."
        ),
        ConfigurationKey(
            "courier.mail.url",
            \.courier.mail.url,
            .mailServer,
            "The mail server, smtps://HOST or smtp://HOST, or the URL of the provider."
        ),
        ConfigurationKey(
            "courier.mail.user",
            \.courier.mail.user,
            .optional(.text),
            "The user name for the mail server, if it requires authentication."
        ),
        ConfigurationKey(
            "courier.mail.password",
            \.courier.mail.password,
            .secret,
            "The password for the mail server."
        ),
        ConfigurationKey(
            "courier.mail.starttls",
            \.courier.mail.startTLS,
            .choice,
            "Whether connections to smtp:// use STARTTLS; never is meant for a mail server on the same machine."
        ),
        ConfigurationKey(
            "courier.mail.certificates",
            \.courier.mail.certificates,
            .optional(.text),
            "A PEM file of certificates to trust instead of the system's, for a private mail server."
        ),
        ConfigurationKey(
            "courier.mail.greeting",
            \.courier.mail.greeting,
            .hostName,
            "The host name sent to the mail server in EHLO. Defaults to the host name of this machine."
        ),
        ConfigurationKey(
            "courier.mail.from",
            \.courier.mail.from,
            .email,
            "The sender address of e-mail."
        ),
        ConfigurationKey(
            "courier.mail.name",
            \.courier.mail.name,
            .optional(.text),
            "The sender name of e-mail. Defaults to courier.app."
        ),
        ConfigurationKey(
            "courier.mail.headers",
            \.courier.mail.headers,
            .secrets,
            "Header fields of requests to the provider, such as an API key."
        ),
        ConfigurationKey(
            "courier.mail.body",
            \.courier.mail.body,
            .template(for: .email),
            "The body of requests to the provider: JSON whose strings may contain {{to}}, {{subject}}, {{text}}, {{html}}, {{code}} and {{id}}."
        ),
        ConfigurationKey(
            "courier.mail.timeout",
            \.courier.mail.timeout,
            .duration(.milliseconds(100) ... .seconds(120)),
            "The timeout of an attempt to send an e-mail."
        ),
    ]
}
