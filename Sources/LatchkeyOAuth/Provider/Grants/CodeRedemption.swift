import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The authorization code grant (RFC 6749, section 4.1.3).
struct CodeRedemption: Sendable {
    private let tokens: GrantTokens
    private let duties: TokenDuties
    private let proofs: DPoPVerifier
    private let limiter: Limiter
    private let audit: AuditLog
    private let database: any Database

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        tokens: GrantTokens,
        proofs: DPoPVerifier
    ) {
        self.tokens = tokens
        duties = TokenDuties(accounts)
        self.proofs = proofs
        limiter = accounts.limiter
        audit = accounts.audit
        database = environment.database
    }

    /// Redeems the code in a request.
    ///
    /// A request that contains anything wrong changes no grant, so that an attacker with a copied code can't
    /// use it up. A code that is redeemed again by its client ends the grant.
    ///
    /// - Throws: ``OAuthError`` if the code isn't redeemed or a duty of the account blocks, ``ServerError``
    ///   with status 429 if the client has failed too often from this network, ``CryptoError`` or
    ///   ``DatabaseError``.
    func body(for request: ClientRequest) async throws -> GrantTokenBody {
        let redemption = try redemption(in: request)
        let open = try await openDuties(for: redemption, of: request)
        if let proof = request.proof { try await proofs.take(proof, at: request.now) }
        guard let grant = try await redeem(redemption, at: request.now) else {
            let refusal = try await refusal(of: redemption, for: request)
            throw refusal
        }
        var body = try await body(of: grant, for: request)
        body.duties = open
        return body
    }

    /// Returns the duties of the account whose code a request redeems.
    ///
    /// A request that can't redeem the code isn't told anything about the account.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if a duty blocks, or ``DatabaseError``.
    private func openDuties(
        for redemption: Redemption,
        of request: ClientRequest
    ) async throws -> [AccountDuty] {
        let account = try await GrantRepository(database: database).account(
            redeeming: redemption,
            at: request.now
        )
        guard let account else { return [] }
        return try await duties.requireNoneBlocking(of: account, at: request.client, in: request.context)
    }

    private func redemption(in request: ClientRequest) throws(OAuthError) -> Redemption {
        let (client, fields) = (request.client, request.fields)
        guard client.metadata.grantTypes.contains(.authorizationCode) else {
            throw OAuthError(
                .unauthorizedClient,
                reason: "The client is not registered for this grant type."
            )
        }
        let challenge = try Self.challenge(fields)
        // The client may have lost its secret since the code was issued.
        guard challenge != nil || client.metadata.isConfidential else {
            throw OAuthError(.invalidGrant, reason: "A client without a secret needs a code_verifier.")
        }
        return Redemption(
            code: AuthorizationCode(presented: Secret(try fields.required("code"))),
            client: client.id,
            redirectURI: try fields.required("redirect_uri"),
            challenge: challenge,
            keyThumbprint: request.keyThumbprint,
            offlineLifespan: tokens.refreshLifespan(of: client, afterRefresh: false),
            accessLifespan: tokens.accessLifespan(of: client, afterRefresh: false)
        )
    }

    private func redeem(_ redemption: Redemption, at now: Timestamp) async throws -> Grant? {
        try await database.transaction { transaction in
            try GrantRepository.redeem(redemption, at: now, in: transaction)
        }
    }

    // As in GrantTokens, because of the optimizer.
    @inline(never)
    private func body(of grant: Grant, for request: ClientRequest) async throws -> GrantTokenBody {
        let canRefresh = request.client.metadata.grantTypes.contains(.refreshToken)
        let number: Int64? = grant.isOffline && canRefresh ? 1 : nil
        let body = try await tokens.body(
            of: grant,
            for: request.client,
            scopes: grant.scopes,
            refreshNumber: number,
            isFirst: true,
            at: request.now
        )
        return body
    }

    /// Records that a client has presented a code in a wrong way, as often as the limit on failures allows.
    private func record(_ redemption: Redemption, for request: ClientRequest) async throws {
        try await database.transaction { [audit] transaction in
            let account = try GrantRepository.account(ofCode: redemption.code, in: transaction)
            guard let account else { return }
            let event = audit.event(
                .codeRefused,
                of: account,
                by: .server,
                in: request.context,
                about: request.client.id,
                at: request.now
            )
            try AuditLog.append(event, in: transaction)
        }
    }

    private static func challenge(_ fields: FormFields) throws(OAuthError) -> CodeChallenge? {
        guard let verifier = fields["code_verifier"] else { return nil }
        guard let challenge = CodeChallenge(verifier: verifier) else {
            throw OAuthError(
                .invalidRequest,
                reason: "The code_verifier must have 43 to 128 unreserved characters."
            )
        }
        return challenge
    }

    /// Returns the error for a code that can't be redeemed, and ends its grant if it was redeemed before.
    private func refusal(of redemption: Redemption, for request: ClientRequest) async throws -> OAuthError {
        let now = request.now
        // The grant of a code that is redeemed again ends even if the client has failed too often.
        let ended = try await database.transaction { [audit] transaction in
            let ended = try GrantRepository.endReused(redemption, at: now, in: transaction)
            guard let ended else { return false }
            let event = audit.event(
                .grantReused,
                of: ended.identity,
                by: .server,
                in: request.context,
                about: request.client.id,
                at: now
            )
            try AuditLog.append(event, in: transaction)
            return true
        }
        let failures = LimitedEvent.failures(ofClient: request.client.id, from: request.context.peer)
        try await limiter.require(failures, at: now, in: database)
        if !ended { try await record(redemption, for: request) }
        // The text is always the same, so that it doesn't reveal whether the code exists.
        return OAuthError(
            .invalidGrant,
            reason: "The code is invalid, expired or used, or belongs to another request."
        )
    }
}
