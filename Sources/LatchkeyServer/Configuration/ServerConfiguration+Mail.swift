public import LatchkeyModel

extension ServerConfiguration {
    /// How mail leaves the server.
    public struct Mail: Sendable {
        /// The ways to send a mail.
        public enum Kind: String, CaseIterable, Sendable {
            /// Mails appear on the terminal and in an outbox on the loopback interface.
            case development
            /// Mails go to a mail server.
            case smtp
            /// Mails go to a provider over HTTP.
            case http
        }

        /// Whether an `smtp:` connection becomes secret.
        public enum StartTLS: String, CaseIterable, Sendable {
            /// Nothing is sent without it.
            case required
            /// Everything is sent in the clear.
            case never
        }

        /// The way in use; nothing for the terminal where text messages appear there as well, and else for no mail.
        public var kind: Kind?

        /// The mail server, `smtps://` or `smtp://`, or the provider's address.
        public var url: String?

        /// Who hands in the mail, where the mail server wants to know.
        public var user: String?

        /// The user's password.
        public var password: Secret?

        /// Whether an `smtp:` connection becomes secret.
        public var startTLS = StartTLS.required

        /// A file of certificates to trust in place of the system's.
        public var certificates: String?

        /// What the server introduces itself as to the mail server; nothing for the machine's name.
        public var greeting: String?

        /// The address that mail comes from.
        public var from: String?

        /// What people see beside that address; nothing for ``ServerConfiguration/Courier/app``.
        public var name: String?

        /// Header fields of the request to a provider, such as its key.
        public var headers: [String: Secret] = [:]

        /// The body of the request to a provider: JSON with places for the parts of a mail.
        public var body =
            #"{"to": "{{to}}", "subject": "{{subject}}", "text": "{{text}}", "html": "{{html}}"}"#

        /// How long one attempt may take.
        public var timeout: Duration = .seconds(30)

        /// Creates the defaults.
        public init() {}
    }
}
