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
    private let prover: AddressProver

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
        prover = AddressProver(
            notices: accounts.notices,
            schemas: accounts.schemas,
            audit: accounts.audit,
            data: accounts.data
        )
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
        let redeemable = try await GrantRepository(database: database).redeemable(redemption, at: request.now)
        // A request that can't redeem the code isn't told anything about the account.
        let open =
            if let account = redeemable?.account {
                try await duties.requireNoneBlocking(of: account, at: request.client, in: request.context)
            } else {
                [AccountDuty]()
            }
        if let proof = request.proof { try await proofs.take(proof, at: request.now) }
        guard let grant = try await redeem(redemption, of: redeemable, for: request) else {
            let refusal = try await refusal(of: redemption, for: request)
            throw refusal
        }
        var body = try await body(of: grant, for: request)
        body.duties = open
        return body
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

    /// Thrown to undo a redemption whose address is no longer one of the account.
    private struct StaleAddress: Error {}

    /// Redeems a code, and applies the rules of address ownership if it is the code of a mailed link.
    ///
    /// The verifier shows that the request comes from the app that knows the account's password, so the address is
    /// proven from inside the account.
    private func redeem(
        _ redemption: Redemption,
        of redeemable: GrantRepository.Redeemable?,
        for request: ClientRequest
    ) async throws -> Grant? {
        let now = request.now
        do {
            return try await database.transaction { [prover] transaction in
                // All transactions lock the identity before its grants.
                if let redeemable, redeemable.address != nil {
                    _ = try IdentityRepository.confirm(redeemable.account, in: transaction)
                }
                guard let grant = try GrantRepository.redeem(redemption, at: now, in: transaction) else {
                    return nil
                }
                guard let address = redeemable?.address else { return grant }
                let verdict = try prover.prove(
                    AddressProver.Request(
                        address: address,
                        identity: grant.identity,
                        role: .verification,
                        proof: .inside,
                        flow: grant.id,
                        context: request.context
                    ),
                    at: now,
                    in: transaction
                )
                guard case .granted = verdict else { throw StaleAddress() }
                return grant
            }
        } catch is StaleAddress {
            return nil
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
