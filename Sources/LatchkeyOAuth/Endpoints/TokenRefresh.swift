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
        if let (family, open) = try await use(token, boundTo: key, at: now) {
            try await proofs.take(proof, at: now)
            return try await successor(of: token, in: family, reporting: open, boundTo: binding, at: now)
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
            let open = try await openDuties(of: token, in: context)
            try await families.count { transaction in try count(token.session, at: now, in: transaction) }
            try await proofs.take(proof, at: now)
            return try await successor(of: token, in: family, reporting: open, boundTo: binding, at: now)
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

    /// Uses a token for the first time, unless a duty of its account blocks.
    ///
    /// The duties are determined in the transaction that uses the token, so a refresh costs no other read. The client
    /// is only given if it wasn't in the cache.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if a duty blocks. The token then stays unused.
    private func use(
        _ token: RefreshToken,
        boundTo key: [UInt8],
        of client: TokenDuties.SessionClient = .cached,
        at now: Timestamp
    ) async throws -> (family: TokenFamily, duties: [AccountDuty])? {
        try await duties.refresh()
        do {
            return try await families.use(token, by: key, at: now) { account, clientID, transaction in
                try count(token.session, at: now, in: transaction)
                return try duties.requireNoneBlocking(of: account, at: clientID, client, now: now)
            }
        } catch let missing as UncachedClient {
            return try await use(token, boundTo: key, of: duties.client(missing), at: now)
        }
    }

    /// Returns the duties of a token's account.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if one of them blocks, or ``DatabaseError``.
    private func openDuties(of token: RefreshToken, in context: RequestContext) async throws -> [AccountDuty]
    {
        guard let found = try await sessions.find(token.session) else { return [] }
        let open = try await duties.open(for: found, in: context)
        if let refusal = OAuthError(refusingWhile: open) { throw refusal }
        return open
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
        reporting duties: [AccountDuty],
        boundTo keyThumbprint: [UInt8]?,
        at now: Timestamp
    ) async throws -> TokenBody {
        let next = RefreshToken(session: token.session, number: token.number + 1)
        var body = try await pairs.pair(of: family, next, boundTo: keyThumbprint, at: now)
        body.duties = duties.map(\.kind.rawValue)
        return body
    }
}

extension PresentedProof {
    /// Returns the JWK thumbprint of the proof's key if tokens of the given type are bound to a key, or else
    /// `nil`.
    func thumbprint(for type: AccessTokenType) -> [UInt8]? {
        type == .dpop ? key.jwkThumbprint : nil
    }
}
