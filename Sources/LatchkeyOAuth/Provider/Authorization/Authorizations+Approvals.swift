import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The requests that the app of a logged-in user has opened.
extension Authorizations {
    /// Decides about a request that the app of a logged-in user has opened.
    ///
    /// The app always names the account and asks, so no other question remains.
    func decision(
        about stored: StoredAuthorization,
        of client: OAuthClient,
        by session: AuthenticatedSession,
        at now: Timestamp
    ) async throws -> AuthorizationDecision {
        var pending = Pending(stored, client: client)
        pending.chosen = session.identity.id
        return AuthorizationDecision(
            try await facts(about: pending, isApproved: true, session: session, at: now)
        )
    }

    /// Returns whether an account has consented to all scopes of a request earlier.
    func isRemembered(_ request: AuthorizationRequest, by identity: Identifier) async throws -> Bool {
        guard let known = try await consents.find(request.clientID, of: identity) else { return false }
        return Set(request.scopes).isSubset(of: known.scopes)
    }

    /// Answers a request that an app has opened.
    ///
    /// - Returns: The address that leads to the client, or `nil` if the request was answered or has expired.
    func address(
        answering stored: StoredAuthorization,
        of client: OAuthClient,
        with answer: Answer,
        by session: AuthenticatedSession,
        in context: RequestContext
    ) async throws -> String? {
        let pending = Pending(stored, client: client)
        let outcome =
            switch answer {
            case .approve(let scopes):
                try await grant(pending, approving: scopes, by: session, in: context)
            case .refuse: try await refuse(pending, with: .accessDenied, at: context.now)
            }
        guard case .redirect(let address) = outcome else { return nil }
        return address
    }
}
