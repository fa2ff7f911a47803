public import LatchkeyModel
package import LatchkeyServerKit

/// The settings for sending e-mail through a mail server or a provider.
public struct MailSettings: Sendable {
    /// The transports that can send e-mail.
    public enum Kind: String, CaseIterable, Sendable {
        /// Prints e-mails on the terminal and lists them in an outbox on the loopback interface.
        case development
        /// Sends e-mails through a mail server.
        case smtp
        /// Sends e-mails through a provider's HTTP API.
        case http
    }

    /// Whether an `smtp:` connection is encrypted with STARTTLS.
    public enum StartTLS: String, CaseIterable, Sendable {
        /// STARTTLS is required: no mail is sent without it.
        case required
        /// The connection is not encrypted.
        case never
    }

    /// The transport for mail; `nil` uses the development courier if text messages use it, and otherwise
    /// disables mail.
    public var kind: Kind?

    /// The URL of the mail server (`smtps://` or `smtp://`) or of the provider.
    ///
    /// The default ports of a mail server are 465 for `smtps` and 587 for `smtp`.
    ///
    /// The URL is required if ``kind`` is `smtp` or `http`, and rejected otherwise.
    public var url: String?

    /// The user name for authentication; `nil` sends mail without authentication.
    public var user: String?

    /// The password of the user.
    ///
    /// A password requires ``user``. The configuration is rejected if a password is set, ``startTLS`` is
    /// `never` and ``url`` is an `smtp:` server on another machine.
    public var password: Secret?

    /// Whether an `smtp:` connection is encrypted with STARTTLS.
    ///
    /// This setting does not apply to `smtps:`, which always uses TLS.
    public var startTLS = StartTLS.required

    /// A file of certificates to trust instead of the system's certificates.
    ///
    /// The file is in PEM format. `nil` trusts the certificates of the system.
    public var certificates: String?

    /// The host name in the SMTP greeting; `nil` uses the name of this machine.
    public var greeting: String?

    /// The address from which e-mails are sent.
    ///
    /// The value is a single e-mail address without a display name.
    ///
    /// The address is required if ``kind`` is `smtp`.
    public var from: String?

    /// The display name of the sender; `nil` uses ``CourierSettings/app``.
    public var name: String?

    /// Header fields of the request to a provider, such as an API key.
    ///
    /// The configuration is rejected if header fields are set and ``url`` is an `http` URL on another
    /// machine.
    public var headers: [String: Secret] = [:]

    /// The body of the request to a provider, which is JSON with placeholders for the parts of an e-mail.
    ///
    /// The placeholders are `{{to}}`, `{{subject}}`, `{{text}}`, `{{html}}`, `{{code}}` and `{{id}}`. A
    /// placeholder for a part that the message does not have is replaced with an empty string.
    public var body =
        #"{"to": "{{to}}", "subject": "{{subject}}", "text": "{{text}}", "html": "{{html}}"}"#

    /// The time limit of one delivery attempt.
    ///
    /// The value must be between 100 ms and 120 s.
    public var timeout: Duration = .seconds(30)

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for mail.
    package static let settings: [Setting<MailSettings>] = [
        Setting(
            "courier.mail.kind",
            member: \.kind,
            kind: .optional(.choice),
            summary:
                "How e-mail is sent: development prints it on the terminal, smtp uses a mail server, http calls a provider."
        ),
        Setting(
            "courier.mail.url",
            member: \.url,
            kind: .mailServer,
            summary: "The URL of the mail server (smtps://HOST or smtp://HOST) or of the e-mail provider."
        ),
        Setting(
            "courier.mail.user",
            member: \.user,
            kind: .optional(.text),
            summary: "The user name for the mail server, if it requires authentication."
        ),
        Setting(
            "courier.mail.password",
            member: \.password,
            kind: .secret,
            summary: "The password for the mail server."
        ),
        Setting(
            "courier.mail.starttls",
            member: \.startTLS,
            kind: .choice,
            summary:
                "Whether connections to smtp:// servers use STARTTLS; use never only for a mail server on the same machine."
        ),
        Setting(
            "courier.mail.certificates",
            member: \.certificates,
            kind: .optional(.text),
            summary: "A PEM file of certificates to trust instead of the system's, for a private mail server."
        ),
        Setting(
            "courier.mail.greeting",
            member: \.greeting,
            kind: .hostName,
            summary:
                "The host name sent to the mail server in EHLO. Defaults to the host name of this machine."
        ),
        Setting(
            "courier.mail.from",
            member: \.from,
            kind: .email,
            summary: "The sender address of e-mail."
        ),
        Setting(
            "courier.mail.name",
            member: \.name,
            kind: .optional(.text),
            summary: "The sender name of e-mail. Defaults to courier.app."
        ),
        Setting(
            "courier.mail.headers",
            member: \.headers,
            kind: .secrets,
            summary: "Header fields of requests to the e-mail provider, such as an API key."
        ),
        Setting(
            "courier.mail.body",
            member: \.body,
            kind: .template(for: .email),
            summary:
                "The body of requests to the e-mail provider: JSON whose strings may contain {{to}}, {{subject}}, {{text}}, {{html}}, {{code}} and {{id}}."
        ),
        Setting(
            "courier.mail.timeout",
            member: \.timeout,
            kind: .duration(.milliseconds(100) ... .seconds(120)),
            summary: "The timeout of an attempt to send an e-mail."
        ),
    ]
}
