import LatchkeyAccounts
package import LatchkeyModel

/// The next step of an authorization request.
///
/// This is the only place that decides it. The order of the checks is that of OpenID Connect Core, section
/// 3.1.2.3: login, then consent. The profile comes in between, because consent is about its fields.
package enum AuthorizationDecision: Hashable, Sendable {
    /// The user must log in.
    ///
    /// If `isRefresh` is `true`, the user is logged in, and must confirm it.
    case logIn(isRefresh: Bool)
    /// The user must sign up, or log in.
    case signUp
    /// The user must choose whether to continue with the account that is logged in.
    case chooseAccount
    /// The user must fill in fields that the client requires.
    case completeProfile
    /// The user must answer a question.
    case ask(ConsentQuestion)
    /// The client gets a code.
    case grant
    /// The request is refused.
    case refuse(AuthorizationError)

    /// Facts about the user's session.
    package struct SessionFacts: Hashable, Sendable {
        package var identity: Identifier
        package var authenticatedAt: Timestamp
        /// Whether accounts of this schema can log in at the client.
        package var isAllowed = true

        package init(identity: Identifier, authenticatedAt: Timestamp) {
            (self.identity, self.authenticatedAt) = (identity, authenticatedAt)
        }
    }

    /// Everything that the decision depends on.
    package struct Facts: Sendable {
        package var prompts: Set<AuthorizationRequest.Prompt> = []
        /// The maximum age of the login.
        package var maxAge: Duration?
        /// The account that the request is about, if it names one.
        package var subject: Identifier?
        /// When the user began with the request.
        package var requestedAt: Timestamp
        package var now: Timestamp
        /// The user's session, or `nil` if there is none.
        package var session: SessionFacts?
        /// The account that the user has chosen within the request.
        package var chosen: Identifier?
        package var consent: ConsentQuestion.Facts
        /// Whether the duty to complete the profile keeps the client from getting tokens.
        package var lacksFields = false
        /// Whether the user has answered the question with yes within the request.
        package var isApproved = false

        package init(requestedAt: Timestamp, now: Timestamp, consent: ConsentQuestion.Facts) {
            (self.requestedAt, self.now, self.consent) = (requestedAt, now, consent)
        }
    }

    /// Decides about a request.
    package init(_ facts: Facts) {
        let step = Self.step(facts)
        guard facts.prompts.contains(.none) else {
            self = step
            return
        }
        self =
            switch step {
            case .logIn, .signUp: .refuse(.loginRequired)
            case .chooseAccount: .refuse(.accountSelectionRequired)
            case .ask(.scopes): .refuse(.consentRequired)
            case .completeProfile, .ask(.proceed): .refuse(.interactionRequired)
            case .grant, .refuse: step
            }
    }

    private static func step(_ facts: Facts) -> AuthorizationDecision {
        guard let session = facts.session else {
            return facts.prompts.contains(.create) ? .signUp : .logIn(isRefresh: false)
        }
        // A login within the request satisfies everything that it asks for, so that no user logs in twice.
        let hasLoggedIn = session.authenticatedAt >= facts.requestedAt
        guard session.isAllowed else {
            return hasLoggedIn ? .refuse(wrongAccount) : .logIn(isRefresh: false)
        }
        if let subject = facts.subject, subject != session.identity {
            return hasLoggedIn ? .refuse(wrongAccount) : .logIn(isRefresh: false)
        }
        if !hasLoggedIn {
            if facts.prompts.contains(.create) { return .signUp }
            let isTooOld = facts.maxAge.map { session.authenticatedAt + $0 <= facts.now } ?? false
            if facts.prompts.contains(.login) || isTooOld { return .logIn(isRefresh: true) }
            if facts.prompts.contains(.selectAccount), facts.chosen != session.identity {
                return .chooseAccount
            }
        }
        guard !facts.lacksFields else { return .completeProfile }
        guard !facts.isApproved else { return .grant }
        var consent = facts.consent
        consent.hasLoggedIn = hasLoggedIn
        return ConsentQuestion(consent).map { .ask($0) } ?? .grant
    }

    private static let wrongAccount = AuthorizationError(
        .accessDenied,
        reason: "The user has logged in to an account that can't be used for this request."
    )
}
