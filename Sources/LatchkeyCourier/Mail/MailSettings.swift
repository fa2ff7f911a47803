public import LatchkeyModel
package import LatchkeyServerKit

/// Settings for sending e-mails through a mail server or a provider.
public struct MailSettings: Sendable {
    /// The ways in which e-mails can be sent.
    public enum Kind: String, CaseIterable, Sendable {
        /// Prints e-mails on the terminal and makes them available in an outbox on the loopback interface.
        case development
        /// Sends e-mails through a mail server.
        case smtp
        /// Sends e-mails through a provider's HTTP API.
        case http
    }

    /// Determines whether `smtp:` connections are encrypted with STARTTLS.
    public enum StartTLS: String, CaseIterable, Sendable {
        /// STARTTLS is required. If the mail server doesn't support STARTTLS, no e-mails are sent.
        case required
        /// The connection is not encrypted.
        case never
    }

    /// How e-mails are sent.
    ///
    /// If this is `nil` and the development courier is used for text messages, it is used for e-mails as
    /// well. If it isn't used for text messages, no e-mails are sent.
    public var kind: Kind?

    /// The URL of the mail server (`smtps://` or `smtp://`) or of the provider.
    ///
    /// The default port of a mail server is 465 for `smtps` and 587 for `smtp`.
    ///
    /// The URL is required if ``kind`` is `smtp` or `http`, and is rejected otherwise.
    public var url: String?

    /// The user name for the mail server.
    ///
    /// If `nil`, the courier doesn't authenticate.
    public var user: String?

    /// The password for the mail server.
    ///
    /// Requires ``user``. To protect the password, the configuration is rejected if a password is set,
    /// ``startTLS`` is `never` and ``url`` is an `smtp:` server on another machine.
    public var password: Secret?

    /// Whether `smtp:` connections are encrypted with STARTTLS.
    ///
    /// This doesn't affect `smtps:` connections, which always use TLS.
    public var startTLS = StartTLS.required

    /// The path of a PEM file with the certificates to trust.
    ///
    /// If `nil`, the system's certificates are trusted.
    public var certificates: String?

    /// The host name that is sent in the SMTP greeting.
    ///
    /// If `nil`, the name of this machine is used.
    public var greeting: String?

    /// Whether users can sign up with e-mail addresses whose local part isn't ASCII.
    ///
    /// Requires a mail server or provider that supports SMTPUTF8 (RFC 6531). Existing accounts with such
    /// addresses aren't affected.
    public var smtpUTF8 = false

    /// The sender address of all e-mails.
    ///
    /// This must be a single e-mail address without a display name.
    ///
    /// Required if ``kind`` is `smtp`.
    public var from: String?

    /// The display name of the sender.
    ///
    /// If `nil`, ``CourierSettings/app`` is used.
    public var name: String?

    /// Additional header fields for requests to a provider, such as an API key.
    ///
    /// To protect API keys, the configuration is rejected if header fields are set and ``url`` is a plain
    /// `http` URL on another machine.
    public var headers: [String: Secret] = [:]

    /// The body of requests to a provider.
    ///
    /// The body must be JSON, and its strings may contain placeholders.
    ///
    /// The placeholders are `{{to}}`, `{{subject}}`, `{{text}}`, `{{html}}`, `{{code}}` and `{{id}}`. If the
    /// message doesn't have a value for a placeholder, the placeholder is replaced with an empty string.
    public var body =
        #"{"to": "{{to}}", "subject": "{{subject}}", "text": "{{text}}", "html": "{{html}}"}"#

    /// The timeout for a single attempt to send an e-mail.
    ///
    /// Must be between 100 ms and 120 s.
    public var timeout: Duration = .seconds(30)

    /// Creates settings with default values.
    public init() {}

    /// The configuration keys for e-mail.
    package static let settings: [Setting<MailSettings>] = [
        Setting(
            "courier.mail.kind",
            member: \.kind,
            kind: .optional(.choice),
            summary:
                "How e-mail is sent: development prints it on the terminal, smtp uses a mail server, and http calls a provider's API."
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
            "courier.mail.smtputf8",
            member: \.smtpUTF8,
            kind: .toggle,
            summary:
                "Whether users can sign up with e-mail addresses that are not ASCII before the @; use true only if the mail server or provider supports SMTPUTF8."
        ),
        Setting(
            "courier.mail.from",
            member: \.from,
            kind: .email,
            summary: "The sender address of e-mails."
        ),
        Setting(
            "courier.mail.name",
            member: \.name,
            kind: .optional(.text),
            summary: "The sender name of e-mails. Defaults to courier.app."
        ),
        Setting(
            "courier.mail.headers",
            member: \.headers,
            kind: .secrets,
            summary: "Additional header fields for requests to the e-mail provider, such as an API key."
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
            summary: "The timeout for a single attempt to send an e-mail."
        ),
    ]
}
