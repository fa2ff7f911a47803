import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The refresh token grant (RFC 6749, section 6).
///
/// This grant replaces a refresh token with its successor.
struct TokenRefresh: Sendable {
    private let ending: SessionRevoker
    private let sessions: SessionRepository
    private let families: TokenFamilyRepository
    private let duties: TokenDuties
    private let proofs: DPoPVerifier
    private let pairs: TokenIssuer
    private let limiter: Limiter

    /// Creates the grant.
    ///
    /// `proofs` must be the verifier that the token exchange uses.
    init(
        proofs: DPoPVerifier,
        pairs: TokenIssuer,
        ending: SessionRevoker,
        sessions: SessionRepository,
        families: TokenFamilyRepository,
        duties: TokenDuties,
        limiter: Limiter
    ) {
        self.limiter = limiter
        self.proofs = proofs
        self.ending = ending
        self.sessions = sessions
        self.families = families
        self.duties = duties
        self.pairs = pairs
    }

    /// Returns the token pair for a request.
    ///
    /// If a token is used again after its successor has been used, the session is revoked. To make sure that
    /// this isn't a delayed request, the proof must contain a nonce that was issued after the successor was
    /// used.
    ///
    /// If the successor hasn't been used yet, the same successor is returned again, so a client can retry
    /// when a response was lost. The proof is consumed only after the token was found to be valid, or to be
    /// used again. Otherwise, rejected requests could fill the replay cache, from which older proofs are
    /// evicted.
    ///
    /// - Parameters:
    ///   - fields: The parameters of the request.
    ///   - type: The type of access token to issue. A DPoP token is bound to the key that signed the proof.
    ///   - proof: The verified proof of possession.
    ///   - context: The request context.
    /// - Returns: The body of the response.
    /// - Throws: ``OAuthError`` if the refresh token is rejected, if a duty of its account blocks, or if the
    ///   proof was signed with a different key or has already been used. ``ServerError`` with status 429 if
    ///   the session's tokens were renewed too often.
    func pair(
        for fields: FormFields,
        type: AccessTokenType,
        proof: PresentedProof,
        in context: RequestContext
    ) async throws -> TokenBody {
        let now = context.now
        guard let token = pairs.refreshTokens.read(Secret(try fields.required("refresh_token"))) else {
            throw Self.refusal
        }
        let key = proof.key.thumbprint
        let binding = proof.thumbprint(for: type)
        let open = try await openDuties(of: token, boundTo: key, in: context)
        func reporting(_ body: TokenBody) -> TokenBody {
            var body = body
            body.duties = open.map(\.kind.rawValue)
            return body
        }
        let used = try await families.use(token, by: key, at: now) { transaction in
            try count(token.session, at: now, in: transaction)
        }
        if let family = used {
            try await proofs.take(proof, at: now)
            return reporting(try await successor(of: token, in: family, boundTo: binding, at: now))
        }
        guard let family = try await families.find(token.session) else { throw Self.refusal }
        guard ConstantTime.equal(family.keyThumbprint, key) else {
            throw PresentedProof.refusal(
                "The DPoP proof was not signed with the key to which the refresh token is bound."
            )
        }
        guard family.isAlive(at: now) else { throw Self.refusal }
        switch family.judge(token.number) {
        case .again:
            try await families.count { transaction in try count(token.session, at: now, in: transaction) }
            try await proofs.take(proof, at: now)
            return reporting(try await successor(of: token, in: family, boundTo: binding, at: now))
        case .dead:
            try await proofs.take(proof, at: now)
            try proofs.require(proof, madeAfter: family.usedAt, at: now)
            // Ending the session also invalidates the session token, all refresh tokens and all access
            // tokens.
            try await ending
                .end(family.session, of: family.identity, as: .tokenReused, by: .server, in: context)
            throw Self.refusal
        case .first, .unknown:
            throw Self.refusal
        }
    }

    /// Returns the duties of a token's account.
    ///
    /// A request that can't use the token isn't told anything about the account, and a copied token ends the
    /// session even while a duty blocks.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if the token could be used now, but a
    ///   duty blocks. Also throws ``DatabaseError``.
    private func openDuties(
        of token: RefreshToken,
        boundTo key: [UInt8],
        in context: RequestContext
    ) async throws -> [AccountDuty] {
        guard let found = try await sessions.find(token.session) else { return [] }
        let open = try await duties.open(for: found, in: context)
        guard let refusal = OAuthError(refusingWhile: open) else { return open }
        guard let family = try await families.find(token.session), family.isAlive(at: context.now),
            ConstantTime.equal(family.keyThumbprint, key),
            [.first, .again].contains(family.judge(token.number))
        else { return open }
        throw refusal
    }

    /// Counts a renewal of the session's tokens.
    ///
    /// - Throws: ``ServerError`` with status 429 if the session's tokens were renewed too often. The caller
    ///   must then roll back the transaction.
    private func count(
        _ session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        if case .refused(let seconds) = try limiter.reserve([.renewal(session)], at: now, in: transaction) {
            throw ServerError.tooManyRequests(retryAfter: seconds)
        }
    }

    /// The error for all rejected tokens.
    ///
    /// The text is always the same, so it doesn't reveal whether a token was ever valid.
    private static let refusal = OAuthError(
        .invalidGrant,
        reason: "The refresh token is invalid, expired or revoked."
    )

    /// Returns a token pair with a refresh token's successor.
    ///
    /// Each call issues a new access token.
    private func successor(
        of token: RefreshToken,
        in family: TokenFamily,
        boundTo keyThumbprint: [UInt8]?,
        at now: Timestamp
    ) async throws -> TokenBody {
        let next = RefreshToken(session: token.session, number: token.number + 1)
        return try await pairs.pair(of: family, next, boundTo: keyThumbprint, at: now)
    }
}

extension PresentedProof {
    /// Returns the JWK thumbprint of the proof's key if tokens of the given type are bound to a key, or else
    /// `nil`.
    func thumbprint(for type: AccessTokenType) -> [UInt8]? {
        type == .dpop ? key.jwkThumbprint : nil
    }
}
