import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The exchange of a grant for a session (RFC 8693), for apps of the operator.
///
/// An app that impersonates a first-party app could get a session of the account in this way. Therefore the
/// client must be registered for it, the session isn't privileged, it is bound to the app's key, and the account
/// gets a notice.
struct GrantExchange: Sendable {
    private let reader: GrantTokenReader
    private let proofs: DPoPVerifier
    private let duties: TokenDuties
    private let schemas: SchemaCatalog
    private let sessionSettings: SessionSettings
    private let notices: AccountNotices
    private let limiter: Limiter
    private let audit: AuditLog
    private let database: any Database
    private let random: any RandomSource

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        reader: GrantTokenReader,
        proofs: DPoPVerifier
    ) {
        self.reader = reader
        self.proofs = proofs
        duties = TokenDuties(accounts)
        schemas = accounts.schemas
        sessionSettings = accounts.sessionSettings
        notices = accounts.notices
        limiter = accounts.limiter
        audit = accounts.audit
        database = environment.database
        random = environment.random
    }

    /// Returns the body of the response with the token of the session.
    ///
    /// Until the session is first used, the same request returns a new token of the same session, because the
    /// response may have been lost.
    ///
    /// - Throws: ``OAuthError`` if the request isn't accepted, or an error from the database.
    func body(for request: ClientRequest) async throws -> [UInt8] {
        let (client, now) = (request.client, request.now)
        let own = client.metadata.own
        guard own.isFirstParty, own.opensNativeSessions else {
            throw OAuthError(
                .unauthorizedClient,
                reason: "The client is not registered for the exchange of grants for sessions."
            )
        }
        let token = try subjectToken(request.fields)
        guard let proof = request.proof else {
            throw PresentedProof.refusal("The DPoP header field with a proof is missing.")
        }
        guard let claims = try await reader.claims(of: token, at: now), claims.client == client.id,
            let thumbprint = claims.keyThumbprint
        else { throw Self.refusal }
        guard thumbprint == proof.thumbprintText else {
            throw PresentedProof.refusal(
                "The DPoP proof was not signed with the key to which the access token is bound."
            )
        }
        let grants = GrantRepository(database: database)
        if let account = try await grants.account(of: claims, provenBy: thumbprint) {
            _ = try await duties.requireNoneBlocking(of: account, at: client, in: request.context)
        }
        try await proofs.take(proof, at: now)
        let opened = try await database.transaction { transaction in
            try open(claims, provenBy: proof, for: request, in: transaction)
        }
        guard let (sessionToken, expiresAt) = opened else { throw Self.refusal }
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("access_token")
            writer.string(sessionToken.exposed)
            writer.name("issued_token_type")
            writer.string(TokenType.session.rawValue)
            // The token isn't an access token (RFC 8693, section 2.2.1).
            writer.name("token_type")
            writer.string("N_A")
            writer.name("expires_in")
            writer.integer(max(0, expiresAt.seconds - now.seconds))
        }
        return writer.bytes
    }

    /// Validates the parameters, and returns the access token.
    private func subjectToken(_ fields: FormFields) throws(OAuthError) -> Secret {
        guard fields["requested_token_type"] == TokenType.session.rawValue else {
            throw OAuthError(
                .invalidRequest,
                reason: "The requested_token_type must be \(TokenType.session.rawValue)."
            )
        }
        guard try fields.required("subject_token_type") == TokenType.accessToken.rawValue else {
            throw OAuthError(.invalidRequest, reason: "The subject_token_type must be access_token.")
        }
        return Secret(try fields.required("subject_token"))
    }

    /// Ends the grant and opens the session, or gives the session a new token.
    private func open(
        _ claims: GrantClaims,
        provenBy proof: PresentedProof,
        for request: ClientRequest,
        in transaction: borrowing Transaction
    ) throws -> (Secret, Timestamp)? {
        let now = request.now
        let id = Identifier(random: random)
        let exchanged = try GrantRepository.exchange(
            claims,
            for: id,
            provenBy: proof.thumbprintText,
            at: now,
            in: transaction
        )
        guard let grant = exchanged else {
            guard
                let session = try GrantRepository.exchanged(
                    claims,
                    provenBy: proof.thumbprintText,
                    in: transaction
                )
            else { return nil }
            let token = SessionToken(for: .app, settings: sessionSettings, random: random)
            let end = try SessionRepository.replaceUnused(with: token, of: session, at: now, in: transaction)
            return end.map { (token.secret, $0) }
        }
        guard let identity = try IdentityRepository.load(grant.identity, in: transaction),
            let method = grant.login.authentications.last?.method
        else { return nil }
        let opening = try NewSession(
            id: id,
            of: identity.id,
            by: method,
            evidence: SessionEvidence(),
            schema: schemas[identity.schemaID],
            for: request.context,
            clientID: request.client.id,
            keyThumbprint: proof.key.thumbprint,
            at: now,
            settings: sessionSettings,
            random: random
        ).continuing(
            grant.login.authentications,
            authenticatedAt: grant.login.authenticatedAt,
            privilegedAge: sessionSettings.privilegedAge
        )
        try SessionRepository.insert(opening, in: transaction)
        try SessionRepository.markUnused(id, in: transaction)
        let event = audit.event(
            .grantExchanged,
            of: identity.id,
            in: request.context,
            about: request.client.id,
            at: now
        )
        try AuditLog.append(event, in: transaction)
        // A provisional session gets the notice when its device is enrolled. The device that has signed the user up is
        // the first one, and no new one.
        if !opening.session.needsCertificate, !grant.hasConfirmed(identity) {
            try notices.sendNewDevice(to: identity, for: request.context, in: transaction)
        }
        return (opening.token.secret, opening.session.expiresAt)
    }

    private static let refusal = OAuthError(
        .invalidGrant,
        reason: "The access token is invalid, expired or revoked, or isn't bound to a key."
    )
}
