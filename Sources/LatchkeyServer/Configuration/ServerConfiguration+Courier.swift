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

        /// The way in use.
        public var kind = Kind.development

        /// How long a client waits for the first attempt.
        public var wait: Duration = .seconds(5)

        /// The provider's address.
        public var url: String?

        /// Header fields of the request, such as the provider's key.
        public var headers: [String: Secret] = [:]

        /// The request's body: JSON whose strings may hold `{{phone}}`, `{{text}}`, `{{code}}` and `{{id}}`.
        public var body = #"{"to": "{{phone}}", "text": "{{text}}"}"#

        /// How long one attempt may take.
        public var timeout: Duration = .seconds(10)

        /// Creates the defaults.
        public init() {}
    }
}
