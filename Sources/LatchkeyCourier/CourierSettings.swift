public import LatchkeyModel
package import LatchkeyServerKit

/// Settings for the courier, which sends text messages and e-mails.
public struct CourierSettings: Sendable {
    /// The ways in which text messages can be sent.
    public enum Kind: String, CaseIterable, Sendable {
        /// Prints codes on the terminal and makes them available in an outbox on the loopback interface.
        case development
        /// Sends text messages through a provider's HTTP API.
        case http
    }

    /// How text messages are sent.
    public var kind = Kind.development

    /// Whether the development courier may be used on a server that other machines can reach.
    ///
    /// The development courier prints one-time codes in plain text, so a reachable server that uses it is
    /// insecure.
    public var allowsDevelopment = false

    /// The maximum time that a request waits for the first attempt to send its message.
    ///
    /// Must be between 0 and 60 s. If the attempt takes longer, the message is still sent, but the response
    /// doesn't report whether it succeeded.
    public var wait: Duration = .seconds(5)

    /// The service name that is shown in messages.
    ///
    /// If `nil`, messages don't mention a name.
    public var app: String?

    /// The language that is used when none of the user's preferred languages are supported.
    ///
    /// Clients send their preferred languages in the `Accept-Language` header.
    public var language = Language.english

    /// How long sent and abandoned messages are retained.
    ///
    /// Must be at least one hour. The text and the code are erased as soon as the message has been sent or
    /// abandoned, but the rest of the record, such as the recipient and the last error, is retained.
    public var retention: Duration = .seconds(7 * 86_400)

    /// The path of a folder with message templates that replace the built-in ones, or `nil` to use only the
    /// built-in templates.
    ///
    /// Files are named `LANGUAGE/KIND.PART`, such as `sv/login_code_valid.sms.txt`. The parts are `sms.txt`,
    /// `mail.subject.txt`, `mail.txt` and `mail.html`.
    public var templates: String?

    /// The number of messages that can be sent concurrently on each channel.
    ///
    /// Must be between 1 and 64.
    public var workers = 4

    /// The calling codes of the phone numbers that get text messages, such as `46`, without `+`.
    ///
    /// If the list is empty, all numbers get text messages, except for premium, shared-cost and pager numbers
    /// and international networks. Numbers that are verified on an account always get messages. The list
    /// doesn't apply to the development courier.
    public var callingCodes: [String] = []

    /// The URL of the text message provider.
    ///
    /// Required if `kind` is `http`, and ignored otherwise.
    public var url: String?

    /// Additional header fields for requests to the provider, such as an API key.
    ///
    /// If a field has the same name as one of the courier's own fields, it replaces that field. The exception
    /// is `Idempotency-Key`, which can't be replaced. To protect API keys, the configuration is rejected if
    /// header fields are set and ``url`` is a plain `http` URL on another machine.
    public var headers: [String: Secret] = [:]

    /// The body of requests to the provider.
    ///
    /// The body must be JSON, and its strings may contain the placeholders `{{phone}}`, `{{text}}`,
    /// `{{code}}` and `{{id}}`.
    ///
    /// `{{id}}` is the idempotency key, which stays the same for all attempts to send a message. Using an
    /// unknown placeholder is a configuration error.
    public var body = #"{"to": "{{phone}}", "text": "{{text}}"}"#

    /// The timeout for a single attempt to send a text message.
    ///
    /// Must be between 100 ms and 120 s.
    ///
    /// The timeout for e-mails is ``MailSettings/timeout``.
    public var timeout: Duration = .seconds(10)

    /// Settings for e-mails, which are sent separately from text messages.
    public var mail = MailSettings()

    /// Creates settings with default values.
    public init() {}

    /// The configuration keys of the courier.
    ///
    /// The keys for e-mail are listed in ``MailSettings/settings``.
    package static let settings: [Setting<CourierSettings>] = [
        Setting(
            "courier.kind",
            member: \.kind,
            kind: .choice,
            summary:
                "How text messages are sent: development prints codes on the terminal, and http calls a provider's API."
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
            summary: "The name of the service, as shown in messages."
        ),
        Setting(
            "courier.language",
            member: \.language,
            kind: .choice,
            summary: "The language for users whose preferred languages are not supported."
        ),
        Setting(
            "courier.retention",
            member: \.retention,
            kind: .duration(.seconds(3600) ... .seconds(3660 * 86_400)),
            summary:
                "How long the record of a sent or abandoned message is retained. Its text is erased immediately."
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
            "courier.calling_codes",
            member: \.callingCodes,
            kind: .callingCodes,
            summary:
                "The calling codes, such as 46, of the unverified phone numbers that get text messages; if empty, nearly all do."
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
            summary: "Additional header fields for requests to the text message provider, such as an API key."
        ),
        Setting(
            "courier.body",
            member: \.body,
            kind: .template(for: .sms),
            summary:
                "The body of requests to the text message provider: JSON whose strings may contain {{phone}}, {{text}}, {{code}} and {{id}}."
        ),
        Setting(
            "courier.timeout",
            member: \.timeout,
            kind: .duration(.milliseconds(100) ... .seconds(120)),
            summary: "The timeout for requests to the text message provider."
        ),
    ]
}
