public import LatchkeyModel

extension ServerConfiguration {
    /// How messages leave the server.
    public struct Courier: Sendable {
        /// The ways to send a text message.
        public enum Kind: String, CaseIterable, Sendable {
            /// Codes appear on the terminal and in an outbox on the loopback interface.
            case development
            /// Messages go to a provider over HTTP.
            case http
        }

        /// The languages that messages come in.
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

        /// The way in use for text messages.
        public var kind = Kind.development

        /// Whether the development courier may be used by a server that other machines reach.
        public var allowsDevelopment = false

        /// How long a client waits for the first attempt.
        public var wait: Duration = .seconds(5)

        /// What people know the service as; nothing to leave it out of messages.
        public var app: String?

        /// The language of people who ask for none that there is.
        public var language = Language.english

        /// A folder of texts that take the place of those that come with the server.
        public var templates: String?

        /// How many messages of each channel are sent at once.
        public var workers = 4

        /// The provider's address.
        public var url: String?

        /// Header fields of the request, such as the provider's key.
        public var headers: [String: Secret] = [:]

        /// The request's body: JSON whose strings may hold `{{phone}}`, `{{text}}`, `{{code}}` and `{{id}}`.
        public var body = #"{"to": "{{phone}}", "text": "{{text}}"}"#

        /// How long one attempt may take.
        public var timeout: Duration = .seconds(10)

        /// How mail leaves the server.
        public var mail = Mail()

        /// Creates the defaults.
        public init() {}
    }
}
