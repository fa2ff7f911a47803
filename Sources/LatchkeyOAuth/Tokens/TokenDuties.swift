import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Refuses tokens while a duty of their account blocks.
///
/// The caller asks before it uses up a code, a token or a proof, so that the client can repeat its request
/// when the user has taken the step. The error must never be `invalid_grant`, which clients take for the end
/// of the login.
struct TokenDuties: Sendable {
    private let duties: Duties
    private let identities: IdentityRepository

    init(_ accounts: AccountsModule) {
        (duties, identities) = (accounts.duties, accounts.identities)
    }

    /// Returns the duties of a session, which may block.
    func open(
        for found: AuthenticatedSession,
        in context: RequestContext
    ) async throws(DatabaseError) -> [AccountDuty] {
        try await duties.open(for: found, in: context)
    }

    /// Returns the duties of an account at a client, or an empty list if the account doesn't exist.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if one of them blocks, or
    ///   ``DatabaseError``.
    func requireNoneBlocking(
        of account: Identifier,
        at client: OAuthClient,
        in context: RequestContext
    ) async throws -> [AccountDuty] {
        guard let identity = try await identities.find(account) else { return [] }
        return try await requireNoneBlocking(of: identity, at: client.id, in: context)
    }

    /// Returns the duties of an account at a client.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if one of them blocks, or
    ///   ``DatabaseError``.
    func requireNoneBlocking(
        of identity: IdentityRecord,
        at client: String,
        in context: RequestContext,
        status: Int = 400
    ) async throws -> [AccountDuty] {
        let found = try await duties.open(for: identity, at: client, in: context)
        if let refusal = OAuthError(refusingWhile: found, status: status) { throw refusal }
        return found
    }
}

extension OAuthError {
    /// Creates the error for a request of an account with duties, or returns `nil` if none of them blocks.
    init?(refusingWhile duties: [AccountDuty], status: Int = 400) {
        guard let duty = duties.firstBlocking?.kind else { return nil }
        self.init(
            .interactionRequired,
            reason: "The user has to complete a step first: \(duty.rawValue).",
            status: status,
            duty: duty
        )
    }
}
