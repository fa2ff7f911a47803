package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Determines the duties of accounts.
///
/// All parts of the server that report or enforce duties ask this type, so that they agree.
package struct Duties: Sendable {
    private let sources: [any DutySource]
    private let sessions: SessionRepository
    private let clients: ClientRegistry

    /// Creates the service, which lists the duties in the order of the sources.
    init(_ sources: [any DutySource], sessions: SessionRepository, clients: ClientRegistry) {
        (self.sources, self.sessions, self.clients) = (sources, sessions, clients)
    }

    /// Returns the duties of a session's account at the session's client.
    package func open(
        for found: AuthenticatedSession,
        in context: RequestContext
    ) async throws(DatabaseError) -> [AccountDuty] {
        try await open(for: found.identity, at: found.session.clientID, now: context.now)
    }

    /// Returns the duties of an account.
    ///
    /// - Parameters:
    ///   - account: The account, as a query has returned it. Records of accounts that were changed in memory lack
    ///     some of the columns.
    ///   - clientID: The id of the client that the user uses, or `nil` if there is none.
    ///   - now: The current time.
    /// - Returns: The duties, in the order of the sources.
    /// - Throws: ``DatabaseError``.
    // The optimizer of Swift 6.3.1 crashes when it inlines this function.
    @inline(never)
    package func open(
        for account: IdentityRecord,
        at clientID: String?,
        now: Timestamp
    ) async throws(DatabaseError) -> [AccountDuty] {
        try await refresh()
        var client: OAuthClient?
        if let clientID { client = try await clients.client(clientID) }
        return open(for: account, of: client, now: now)
    }

    /// Makes sure that the sources can answer without reading the database.
    package func refresh() async throws(DatabaseError) {
        for source in sources where source.needsRefresh { try await source.refresh() }
    }

    /// Returns the duties of an account according to what the sources have cached.
    ///
    /// A transaction can call this function. ``refresh()`` must have been called before.
    package func open(
        for account: IdentityRecord,
        of client: OAuthClient?,
        now: Timestamp
    ) -> [AccountDuty] {
        let question = DutyQuestion(account: account, client: client, now: now)
        var duties: [AccountDuty] = []
        for source in sources {
            for duty in source.duties(for: question) { duties.add(duty) }
        }
        return duties
    }

    /// Returns a number that changes with the duties of a session's account.
    func fingerprint(of found: AuthenticatedSession, at now: Timestamp) async throws(DatabaseError) -> Int64 {
        try await open(for: found.identity, at: found.session.clientID, now: now).fingerprint
    }

    /// Returns the duties of a session that was opened or extended by the request.
    ///
    /// The session is read again, because the request has the account only as it was before its changes.
    package func open(
        forOpened session: Identifier,
        in context: RequestContext
    ) async throws -> [AccountDuty] {
        guard let found = try await sessions.find(session) else { return [] }
        return try await open(for: found, in: context)
    }
}
