import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The refresh token grant, which exchanges a refresh token for its successor (RFC 6749, section 6).
struct TokenRefresh: Sendable {
    private let ending: SessionRevoker
    private let families: TokenFamilyRepository
    private let proofs: DPoPVerifier
    private let pairs: TokenIssuer

    /// Creates the grant; `proofs` must be the verifier that the token exchange uses, too.
    init(proofs: DPoPVerifier, pairs: TokenIssuer, ending: SessionRevoker, families: TokenFamilyRepository) {
        self.proofs = proofs
        self.ending = ending
        self.families = families
        self.pairs = pairs
    }

    /// Returns the token pair for a request.
    ///
    /// The reuse of a token whose successor was used revokes the session, once the client has proved with a
    /// nonce that it signed the request after that use.
    ///
    /// A token whose successor was not used yet returns the same successor again, so that a client can retry
    /// after a lost response. The proof is consumed unless the text is not a refresh token of this server, or
    /// the proof was signed with another key.
    ///
    /// - Parameters:
    ///   - fields: The parameters of the request.
    ///   - proof: The verified proof of possession, which is consumed.
    ///   - context: The request.
    /// - Returns: The body of the response.
    /// - Throws: ``OAuthError`` if the refresh token is not accepted, or the proof is of another key or was
    ///   used before.
    func pair(
        for fields: FormFields,
        proof: PresentedProof,
        in context: RequestContext
    ) async throws -> TokenBody {
        let now = context.now
        guard let token = pairs.refreshTokens.read(Secret(try fields.required("refresh_token"))) else {
            throw Self.refusal
        }
        let key = proof.key.thumbprint
        try await proofs.take(proof, at: now)
        if let family = try await families.use(token, by: key, at: now) {
            return try await successor(of: token, in: family, at: now)
        }
        guard let family = try await families.find(token.session) else { throw Self.refusal }
        guard ConstantTime.equal(family.keyThumbprint, key) else {
            // The proof may be valid for another request of the client that signed it.
            try await proofs.giveBack(proof)
            throw PresentedProof.refusal(
                "The DPoP proof was signed with another key than the one the refresh token is bound to."
            )
        }
        guard family.isAlive(at: now) else { throw Self.refusal }
        switch family.judge(token.number) {
        case .again:
            return try await successor(of: token, in: family, at: now)
        case .dead:
            try proofs.require(proof, madeAfter: family.usedAt, at: now)
            // One statement revokes the session, and with it the session token, all refresh tokens and all
            // access tokens.
            try await ending
                .end(family.session, of: family.identity, as: .tokenReused, by: .server, in: context)
            throw Self.refusal
        case .first, .unknown:
            throw Self.refusal
        }
    }

    /// All refusals have the same text, so that they do not reveal whether a token was ever valid.
    private static let refusal = OAuthError(
        .invalidGrant,
        reason: "The refresh token is invalid, expired or revoked."
    )

    /// Returns the pair with the refresh token that follows a used one; the access token is new each time.
    private func successor(
        of token: RefreshToken,
        in family: TokenFamily,
        at now: Timestamp
    ) async throws -> TokenBody {
        let next = RefreshToken(session: token.session, number: token.number + 1)
        return try await pairs.pair(of: family, next, at: now)
    }
}
