import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A client that has access to an account.
struct ConnectedClient: Sendable {
    /// The id of the client.
    let id: String
    /// The scopes that the user has consented to, or that the client has without consent.
    let scopes: [String]
    let since: Timestamp
    let lastUsed: Timestamp
}

/// Lists and ends the access of clients to an account.
struct ConnectedClients: Sendable {
    private let database: any Database
    private let audit: AuditLog

    init(_ environment: ServerEnvironment, audit: AuditLog) {
        database = environment.database
        self.audit = audit
    }

    /// Returns the clients that have the user's consent or a grant, the one that was used last first.
    func all(of identity: Identifier, at now: Timestamp) async throws -> [ConnectedClient] {
        var found: [String: ConnectedClient] = [:]
        for consent in try await ConsentRepository(database: database).all(of: identity) {
            found[consent.client] = ConnectedClient(
                id: consent.client,
                scopes: consent.scopes,
                since: consent.createdAt,
                lastUsed: consent.updatedAt
            )
        }
        for grant in try await GrantRepository(database: database).active(of: identity, at: now) {
            let known = found[grant.id]
            found[grant.id] = ConnectedClient(
                id: grant.id,
                scopes: (known?.scopes ?? [])
                    + grant.scopes.filter { !(known?.scopes.contains($0) ?? false) },
                since: min(known?.since ?? grant.since, grant.since),
                lastUsed: max(known?.lastUsed ?? grant.lastUsed, grant.lastUsed)
            )
        }
        return found.values.sorted { ($0.lastUsed, $1.id) > ($1.lastUsed, $0.id) }
    }

    /// Forgets the consent of an account to a client, and ends the client's grants.
    ///
    /// - Returns: Whether the client had access.
    func disconnect(
        _ client: String,
        from identity: Identifier,
        by actor: AuditEvent.Actor,
        in context: RequestContext
    ) async throws -> Bool {
        let now = context.now
        let event = audit.event(.consentRevoked, of: identity, by: actor, in: context, about: client, at: now)
        return try await database.transaction { transaction in
            let hadConsent = try ConsentRepository.remove(client, of: identity, in: transaction)
            let ended = try GrantRepository.endAll(of: identity, for: client, at: now, in: transaction)
            guard hadConsent || ended > 0 else { return false }
            try AuditLog.append(event, in: transaction)
            return true
        }
    }
}

extension GrantRepository {
    /// Returns the clients that have grants of an account that haven't ended.
    fileprivate func active(
        of identity: Identifier,
        at now: Timestamp
    ) async throws(DatabaseError) -> [ConnectedClient] {
        var clients: [ConnectedClient] = []
        for row in try await database.rows(
            """
            SELECT client_id, scopes, created_at, used_at FROM grants \
            WHERE identity_id = $2 AND redeemed_at IS NOT NULL AND expires_at > $1 AND \(Self.isAlive) \
            ORDER BY used_at DESC, id
            """,
            .time(now),
            .identifier(identity)
        ) {
            clients.append(
                ConnectedClient(
                    id: try row.text(0),
                    scopes: [String](scopes: try row.text(1)),
                    since: try row.time(2),
                    lastUsed: try row.time(3)
                )
            )
        }
        return clients
    }
}
