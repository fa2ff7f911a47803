public import LatchkeyModel
package import LatchkeyServerKit

/// The settings of the courier, which sends text messages and e-mail.
public struct CourierSettings: Sendable {
    /// The transports for text messages.
    public enum Kind: String, CaseIterable, Sendable {
        /// Prints codes on the terminal and lists them in an outbox on the loopback interface.
        case development
        /// Sends text messages through a provider's HTTP API.
        case http
    }

    /// The transport for text messages.
    public var kind = Kind.development

    /// Whether a server that other machines can reach may use the development courier.
    ///
    /// The development courier prints one-time codes in plain text, so a server that uses it is insecure.
    public var allowsDevelopment = false

    /// The maximum time that a request waits for the first attempt to deliver its message.
    ///
    /// The value must be between 0 and 60 s. If the attempt takes longer, the response does not report its
    /// outcome, but the message is still sent.
    public var wait: Duration = .seconds(5)

    /// The display name of the service in messages; `nil` omits it.
    public var app: String?

    /// The language for users who request no supported language.
    ///
    /// Clients request languages in the `Accept-Language` header field.
    public var language = Language.english

    /// The retention period of messages that were sent or abandoned.
    ///
    /// The value must be at least one hour. The texts and the code are erased as soon as the message is sent
    /// or abandoned. The rest of the record, such as the recipient and the last error, is retained.
    public var retention: Duration = .seconds(7 * 86_400)

    /// A folder of message texts that override the built-in texts.
    ///
    /// A file is named `LANGUAGE/KIND.PART`, such as `sv/login_code_valid.sms.txt`. The parts are `sms.txt`,
    /// `mail.subject.txt`, `mail.txt` and `mail.html`. `nil` uses the built-in texts only.
    public var templates: String?

    /// The number of messages that are sent concurrently on each channel.
    ///
    /// The value must be between 1 and 64.
    public var workers = 4

    /// The URL of the text message provider.
    ///
    /// The URL is required if `kind` is `http`, and ignored otherwise.
    public var url: String?

    /// Header fields of the request to the provider, such as an API key.
    ///
    /// The fields replace the courier's own header fields of the same name, except `Idempotency-Key`. The
    /// configuration is rejected if header fields are set and ``url`` is an `http` URL on another machine.
    public var headers: [String: Secret] = [:]

    /// The request body, which is JSON whose strings may contain `{{phone}}`, `{{text}}`, `{{code}}` and
    /// `{{id}}`.
    ///
    /// `{{id}}` is the idempotency key, which is the same for all attempts to send a message. An unknown
    /// placeholder is a configuration error.
    public var body = #"{"to": "{{phone}}", "text": "{{text}}"}"#

    /// The time limit of one delivery attempt.
    ///
    /// The value must be between 100 ms and 120 s. The setting applies to text messages, whereas
    /// ``MailSettings/timeout`` applies to mail.
    public var timeout: Duration = .seconds(10)

    /// The settings for sending e-mail, which has its own transport.
    public var mail = MailSettings()

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for the courier.
    ///
    /// The mail settings are listed in ``MailSettings/settings``.
    package static let settings: [Setting<CourierSettings>] = [
        Setting(
            "courier.kind",
            member: \.kind,
            kind: .choice,
            summary:
                "How text messages are sent: development prints codes on the terminal, http calls a provider."
        ),
        Setting(
            "courier.allow_development",
            member: \.allowsDevelopment,
            kind: .toggle,
            summary: "Whether a server that other machines can reach may use the development courier."
        ),
        Setting(
            "courier.wait",
            member: \.wait,
            kind: .duration(.zero ... .seconds(60)),
            summary: "How long a request waits for the first attempt to send its message."
        ),
        Setting(
            "courier.app",
            member: \.app,
            kind: .optional(.text),
            summary: "The display name of the service in messages."
        ),
        Setting(
            "courier.language",
            member: \.language,
            kind: .choice,
            summary: "The language for users whose requested languages are not available."
        ),
        Setting(
            "courier.retention",
            member: \.retention,
            kind: .duration(.seconds(3600) ... .seconds(3660 * 86_400)),
            summary:
                "How long the record of a sent or abandoned message is retained; its text is erased at once."
        ),
        Setting(
            "courier.templates",
            member: \.templates,
            kind: .optional(.text),
            summary:
                "A folder of custom message templates: LANGUAGE/KIND.sms.txt, .mail.subject.txt, .mail.txt and .mail.html."
        ),
        Setting(
            "courier.workers",
            member: \.workers,
            kind: .number(1...64),
            summary: "How many messages are sent concurrently on each channel (text messages and e-mail)."
        ),
        Setting(
            "courier.url",
            member: \.url,
            kind: .callable,
            summary: "The URL of the text message provider."
        ),
        Setting(
            "courier.headers",
            member: \.headers,
            kind: .secrets,
            summary: "Header fields of requests to the text-message provider, such as an API key."
        ),
        Setting(
            "courier.body",
            member: \.body,
            kind: .template(for: .sms),
            summary:
                "The body of requests to the text-message provider: JSON whose strings may contain {{phone}}, {{text}}, {{code}} and {{id}}."
        ),
        Setting(
            "courier.timeout",
            member: \.timeout,
            kind: .duration(.milliseconds(100) ... .seconds(120)),
            summary: "The timeout of a request to the text-message provider."
        ),
    ]
}
