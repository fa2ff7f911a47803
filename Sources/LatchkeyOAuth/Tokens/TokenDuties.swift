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
    /// The client of a session, which a transaction can't read.
    enum SessionClient: Sendable {
        /// The client is looked up in the cache.
        case cached
        case known(id: String, OAuthClient?)
    }

    private let duties: Duties
    private let identities: IdentityRepository
    private let clients: ClientRegistry

    init(_ accounts: AccountsModule) {
        (duties, identities, clients) = (accounts.duties, accounts.identities, accounts.clients)
    }

    /// Makes sure that the duties can be determined in a transaction.
    func refresh() async throws(DatabaseError) {
        try await duties.refresh()
    }

    /// Reads a client that wasn't in the cache.
    func client(_ missing: UncachedClient) async throws(DatabaseError) -> SessionClient {
        .known(id: missing.id, try await clients.client(missing.id))
    }

    /// Returns the duties of an account at the client of its session, in a transaction.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if one of them blocks, or ``UncachedClient`` if
    ///   the client has to be read before.
    func requireNoneBlocking(
        of account: IdentityRecord,
        at clientID: String?,
        _ client: SessionClient,
        now: Timestamp
    ) throws -> [AccountDuty] {
        var found: OAuthClient?
        if let clientID {
            if case .known(clientID, let client) = client {
                found = client
            } else {
                found = try clients.cachedClient(clientID)
            }
        }
        let open = duties.open(for: account, of: found, now: now)
        if let refusal = OAuthError(refusingWhile: open) { throw refusal }
        return open
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
        let found = try await duties.open(for: identity, at: client, now: context.now)
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
