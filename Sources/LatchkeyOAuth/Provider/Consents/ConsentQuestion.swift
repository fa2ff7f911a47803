package import LatchkeyAccounts

/// The question that the user must answer before a client gets a code.
package enum ConsentQuestion: Hashable, Sendable {
    /// Whether the client may have the scopes.
    case scopes
    /// Only whether to continue, because any app could have claimed the client's redirect URI
    /// (RFC 8252, section 8.6).
    case proceed

    /// Facts about a request that decide whether there is a question.
    package struct Facts: Hashable, Sendable {
        /// The kind of the request's redirect URI.
        package var redirect: RedirectURI.Kind
        /// Whether the client authenticates with a secret, so that only it can redeem a code.
        package var isConfidential = false
        /// Whether the client needs no consent.
        package var skipsConsent = false
        /// Whether the user has consented to all requested scopes earlier.
        package var isRemembered = false
        /// Whether the request asks for the question (`prompt=consent`).
        package var isRequested = false
        /// Whether the user has logged in within the request, on a page that names the client.
        package var hasLoggedIn = false

        package init(redirect: RedirectURI.Kind) { self.redirect = redirect }
    }

    /// Returns the question, or `nil` if there is none.
    package init?(_ facts: Facts) {
        if facts.isRequested {
            self = .scopes
            return
        }
        guard facts.skipsConsent || facts.isRemembered else {
            self = .scopes
            return
        }
        switch facts.redirect {
        case .https: return nil
        // A code that another program receives can't be redeemed without the secret.
        case .http, .loopback, .localhost, .privateUse:
            if facts.skipsConsent, facts.isConfidential || facts.hasLoggedIn { return nil }
            self = .proceed
        }
    }
}
