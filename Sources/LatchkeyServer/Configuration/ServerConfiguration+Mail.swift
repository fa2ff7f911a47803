public import LatchkeyModel

extension ServerConfiguration {
    /// The settings for sending mail.
    public struct Mail: Sendable {
        /// The transports for mail.
        public enum Kind: String, CaseIterable, Sendable {
            /// Prints mails on the terminal and lists them in an outbox on the loopback interface.
            case development
            /// Sends mails to a mail server.
            case smtp
            /// Calls a provider over HTTP.
            case http
        }

        /// Whether an `smtp:` connection is encrypted with STARTTLS.
        public enum StartTLS: String, CaseIterable, Sendable {
            /// STARTTLS is required; without it no mail is sent.
            case required
            /// The connection is not encrypted.
            case never
        }

        /// The transport; `nil` uses the development courier if text messages do, and otherwise disables
        /// mail.
        public var kind: Kind?

        /// The URL of the mail server, `smtps://` or `smtp://`, or of the provider.
        public var url: String?

        /// The user name for authentication; `nil` sends mail without authentication.
        public var user: String?

        /// The password of the user.
        public var password: Secret?

        /// Whether an `smtp:` connection is encrypted with STARTTLS.
        public var startTLS = StartTLS.required

        /// A file of certificates that are trusted instead of the system's.
        public var certificates: String?

        /// The host name in the SMTP greeting; `nil` for the name of the machine.
        public var greeting: String?

        /// The sender address.
        public var from: String?

        /// The display name of the sender; `nil` for ``ServerConfiguration/Courier/app``.
        public var name: String?

        /// Header fields of the request to a provider, such as an API key.
        public var headers: [String: Secret] = [:]

        /// The body of the request to a provider: JSON with placeholders for the parts of a mail.
        public var body =
            #"{"to": "{{to}}", "subject": "{{subject}}", "text": "{{text}}", "html": "{{html}}"}"#

        /// The time limit of one delivery attempt.
        public var timeout: Duration = .seconds(30)

        /// Creates the defaults.
        public init() {}
    }
}
