public import LatchkeyModel

extension ServerConfiguration {
    /// The settings for sending messages.
    public struct Courier: Sendable {
        /// The transports for text messages.
        public enum Kind: String, CaseIterable, Sendable {
            /// Prints codes on the terminal and lists them in an outbox on the loopback interface.
            case development
            /// Calls a provider over HTTP.
            case http
        }

        /// The languages of messages.
        public enum Language: String, CaseIterable, Sendable {
            /// English.
            case english = "en"
            /// Norwegian Bokmål.
            case norwegian = "nb"
            /// Swedish.
            case swedish = "sv"
            /// Finnish.
            case finnish = "fi"
        }

        /// The transport for text messages.
        public var kind = Kind.development

        /// Whether a server that other machines can reach may use the development courier.
        public var allowsDevelopment = false

        /// The time that a client waits for the first delivery attempt.
        public var wait: Duration = .seconds(5)

        /// The display name of the service in messages; `nil` omits it.
        public var app: String?

        /// The language for users who request no supported language.
        public var language = Language.english

        /// A folder of message texts that override the built-in ones.
        public var templates: String?

        /// The number of messages that are sent concurrently, for each channel.
        public var workers = 4

        /// The URL of the text message provider.
        public var url: String?

        /// Header fields of the request to the provider, such as an API key.
        public var headers: [String: Secret] = [:]

        /// The request body: JSON whose strings may contain `{{phone}}`, `{{text}}`, `{{code}}` and `{{id}}`.
        public var body = #"{"to": "{{phone}}", "text": "{{text}}"}"#

        /// The time limit of one delivery attempt.
        public var timeout: Duration = .seconds(10)

        /// The settings for mail.
        public var mail = Mail()

        /// Creates the defaults.
        public init() {}
    }
}
