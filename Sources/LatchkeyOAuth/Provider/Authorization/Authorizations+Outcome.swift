package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel

extension Authorizations {
    /// The answer to a browser.
    package enum Outcome: Sendable {
        /// The browser is redirected to the client.
        case redirect(to: String)
        /// The user must log in, and continues with the stored request.
        case logIn(challenge: Identifier, isRefresh: Bool)
        /// The user must sign up, and continues with the stored request.
        case signUp(challenge: Identifier)
        /// The user must complete the profile, and continues with the stored request.
        case completeProfile(challenge: Identifier)
        /// The user must choose an account or answer a question.
        case ask(Question)
        /// The request can't be continued.
        case over(Ending, OAuthClient?)
    }

    /// The reason why a request can't be continued.
    package enum Ending: Hashable, Sendable {
        /// The client has already got its answer.
        case answered
        case expired
        /// The request belongs to another browser.
        case elsewhere
    }

    /// A question to the user.
    package struct Question: Sendable {
        /// The id of the stored request.
        package let challenge: Identifier
        package let request: AuthorizationRequest
        package let client: OAuthClient
        /// The account that answers.
        package let identity: Identifier
        /// The question about the client, or `nil` if the user must choose an account.
        package let consent: ConsentQuestion?
        private let scopes: ScopeCatalog

        init(
            _ consent: ConsentQuestion?,
            about pending: Pending,
            challenge: Identifier,
            identity: Identifier,
            scopes: ScopeCatalog
        ) {
            self.challenge = challenge
            request = pending.request
            client = pending.client
            self.identity = identity
            self.consent = consent
            self.scopes = scopes
        }

        /// Returns the operator's description of a scope, or `nil` for a built-in one.
        package func description(of scope: String, in language: Language) -> String? {
            scopes.description(of: scope, in: language)
        }

        /// Whether the host of the redirect URI proves who asks.
        package var hasVerifiedRedirect: Bool {
            client.metadata.redirectKind(of: request.redirectURI) == .https
        }
    }

    /// The user's answer to a question.
    package enum Answer: Sendable {
        /// The client may have the scopes, of which those that weren't requested are ignored.
        case approve(scopes: Set<String>)
        case refuse
    }
}
