package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Continues the sessions of apps in browsers.
package struct Handovers: Sendable {
    /// The result of using a code in a browser.
    package enum Outcome: Sendable {
        /// A session that ends with that of the app.
        case opened(Session, token: SessionToken)
        /// The browser stays in the session that the user has logged in to.
        case kept
    }

    private let sessions: SessionRepository
    private let schemas: SchemaCatalog
    private let clients: ClientRegistry
    private let audit: AuditLog
    private let database: any Database
    private let random: any RandomSource

    init(_ environment: ServerEnvironment, accounts: AccountsModule) {
        sessions = accounts.sessions
        schemas = accounts.schemas
        clients = accounts.clients
        audit = accounts.audit
        database = environment.database
        random = environment.random
    }

    /// Finds the handover of a code, without using the code up.
    ///
    /// - Returns: The handover, or `nil` if the code can't be used, because it is unknown, used or expired, the app's session has
    ///   ended, or one of the clients no longer allows it.
    /// - Throws: ``DatabaseError``.
    package func find(_ code: HandoverCode, at now: Timestamp) async throws -> Handover? {
        guard let entry = try await HandoverRepository.find(code, at: now, in: database),
            let source = try await clients.client(entry.source),
            let target = try await clients.client(entry.target), target.accepts(usersOf: source.id),
            target.metadata.hasRedirectURI(entry.redirectURI)
        else { return nil }
        return Handover(
            code: code,
            identity: entry.identity,
            session: entry.session,
            source: source,
            target: target,
            redirectURI: entry.redirectURI,
            network: entry.network
        )
    }

    /// Returns whether a browser continues a session without a question.
    ///
    /// The address must have been typed or opened by a program, and the request must come from the network of the app.
    /// Otherwise, an attacker could mail a victim the address of the attacker's own session (login CSRF).
    package func isSilent(
        _ handover: Handover,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) -> Bool {
        let headers = context.request.headers
        return headers.all("Sec-Fetch-Site") == ["none"] && headers.all("Sec-Fetch-Mode") == ["navigate"]
            && context.peer.address.network == handover.network
            && (session == nil || session?.identity.id == handover.identity)
    }

    /// Uses a code up, and opens the session of the browser.
    ///
    /// A session of another user ends. A session that the user has logged in to in this browser is kept, because it
    /// doesn't depend on the app.
    ///
    /// - Parameters:
    ///   - handover: The handover of the code.
    ///   - present: The session of the browser, if it has one.
    ///   - context: The request of the browser.
    /// - Returns: The result, or `nil` if another request was faster, or the app's session has ended.
    /// - Throws: ``ServerError`` with status 403 if the account can't have sessions in browsers, or
    ///   ``DatabaseError``.
    package func redeem(
        _ handover: Handover,
        replacing present: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome? {
        let (identity, now) = (handover.identity, context.now)
        let event = audit.event(
            .handoverCompleted,
            of: identity,
            in: context,
            about: handover.target.id,
            at: now
        )
        return try await database.transaction { [self] transaction in
            guard try IdentityRepository.confirm(identity, in: transaction),
                try SessionRepository.hold(handover.session, of: identity, at: now, in: transaction),
                try ClientRepository.hold(handover.target.id, in: transaction),
                try HandoverRepository.consume(handover, at: now, in: transaction),
                let parent = try SessionRepository.find(handover.session, in: transaction)
            else { return nil }
            try AuditLog.append(event, in: transaction)
            if let present {
                if present.identity.id == identity, present.session.parentID == nil { return .kept }
                try end(present.session, in: context, transaction)
            }
            let opening = try session(continuing: parent, for: context)
            try SessionRepository.insert(opening, in: transaction)
            return .opened(opening.session, token: opening.token)
        }
    }

    /// Uses a code up without opening a session, because the user has refused.
    ///
    /// - Throws: ``DatabaseError``.
    package func refuse(_ handover: Handover, at now: Timestamp) async throws {
        try await database.transaction { transaction in
            _ = try HandoverRepository.consume(handover, at: now, in: transaction)
        }
    }

    private func session(
        continuing parent: AuthenticatedSession,
        for context: RequestContext
    ) throws -> NewSession {
        guard let method = parent.session.authentications.last?.method else { throw ServerError(500) }
        do {
            return try NewSession(
                of: parent.identity.id,
                by: method,
                evidence: SessionEvidence(),
                schema: schemas[parent.identity.schemaID],
                for: context,
                kind: .browser,
                at: context.now,
                settings: sessions.settings,
                random: random
            ).ending(with: parent.session)
        } catch {
            throw ServerError(
                403,
                id: .deviceCertificateRequired,
                reason: "The account can only be used in its app."
            )
        }
    }

    private func end(
        _ session: Session,
        in context: RequestContext,
        _ transaction: borrowing Transaction
    ) throws(DatabaseError) {
        guard try SessionRepository.revokeActive(session.id, at: context.now, in: transaction) else { return }
        let event = audit.event(
            .loggedOut,
            of: session.identityID,
            in: context,
            about: session.id.description,
            at: context.now
        )
        try AuditLog.append(event, in: transaction)
    }
}
