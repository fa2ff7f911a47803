import LatchkeyModel

/// What an operator does to sessions; each deed is written down in the audit log in its own transaction.
struct SessionAdministration: Sendable {
    private let context: ServerContext

    init(_ context: ServerContext) {
        self.context = context
    }

    /// Ends a session; one that ended before stays as it is.
    func revoke(_ found: SessionRepository.Found, _ exchange: Exchange) async throws {
        let session = found.session
        try await SessionEnding(context)
            .end(session.id, of: session.identityID, as: .sessionRevoked, by: .operator, in: exchange)
    }

    /// Ends all sessions of an identity.
    ///
    /// - Returns: Whether there was one that could be used.
    func revokeAll(of identity: Identifier, _ exchange: Exchange) async throws -> Bool {
        let event = event(.sessionsRevoked, identity, exchange)
        return try await context.database.transaction { transaction in
            let ended = try transaction.execute(
                "UPDATE sessions SET revoked_at = $1 WHERE identity_id = $2 AND revoked_at IS NULL",
                .time(exchange.now),
                .identifier(identity)
            )
            guard ended > 0 else { return false }
            try AuditLog.append(event, in: transaction)
            return true
        }
    }

    /// Lets a session live on from now as if it began; one that is over, or no session yet, stays as it is.
    func extend(_ found: SessionRepository.Found, _ exchange: Exchange) async throws {
        let session = found.session
        let end = exchange.now + context.settings.sessionLifespan
        let event = event(.sessionExtended, session.identityID, about: session.id, exchange)
        try await context.database.transaction { transaction in
            let extended = try transaction.execute(
                """
                UPDATE sessions SET expires_at = $1 WHERE id = $2 AND expires_at < $1 \
                AND expires_at > $3 AND revoked_at IS NULL AND needs_certificate = 0
                """,
                .time(end),
                .identifier(session.id),
                .time(exchange.now)
            )
            guard extended == 1 else { return }
            try AuditLog.append(event, in: transaction)
        }
    }

    private func event(
        _ deed: AuditDeed,
        _ identity: Identifier,
        about session: Identifier? = nil,
        _ exchange: Exchange
    ) -> AuditEvent {
        AuditEvent(
            deed,
            of: identity,
            by: .operator,
            in: exchange,
            about: session?.description,
            at: exchange.now,
            random: context.random
        )
    }
}
