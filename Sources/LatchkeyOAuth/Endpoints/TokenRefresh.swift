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

    /// Creates the grant; `proofs` must be the same verifier that the token exchange uses.
    init(proofs: DPoPVerifier, pairs: TokenIssuer, ending: SessionRevoker, families: TokenFamilyRepository) {
        self.proofs = proofs
        self.ending = ending
        self.families = families
        self.pairs = pairs
    }

    /// Returns the token pair for a request.
    ///
    /// Using a token again after its successor has been used revokes the session, provided that a nonce
    /// proves that the client signed the request after the successor was used.
    ///
    /// A token whose successor has not been used yet returns the same successor again, so a client can retry
    /// after a lost response. The proof is consumed unless this server did not issue the refresh token or the
    /// proof was signed with another key.
    ///
    /// - Parameters:
    ///   - fields: The parameters of the request.
    ///   - type: The type of access token to issue; a DPoP token is bound to the key of the proof.
    ///   - proof: The verified proof of possession.
    ///   - context: The request.
    /// - Returns: The body of the response.
    /// - Throws: ``OAuthError`` if the refresh token is not accepted, or if the proof was signed with another
    ///   key or was already used.
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
        try await proofs.take(proof, at: now)
        let binding = proof.thumbprint(for: type)
        if let family = try await families.use(token, by: key, at: now) {
            return try await successor(of: token, in: family, boundTo: binding, at: now)
        }
        guard let family = try await families.find(token.session) else { throw Self.refusal }
        guard ConstantTime.equal(family.keyThumbprint, key) else {
            // The proof may be valid for another request of the client that signed it.
            try await proofs.giveBack(proof)
            throw PresentedProof.refusal(
                "The DPoP proof was not signed with the key to which the refresh token is bound."
            )
        }
        guard family.isAlive(at: now) else { throw Self.refusal }
        switch family.judge(token.number) {
        case .again:
            return try await successor(of: token, in: family, boundTo: binding, at: now)
        case .dead:
            try proofs.require(proof, madeAfter: family.usedAt, at: now)
            // Revoking the session also invalidates the session token, all refresh tokens and all access
            // tokens.
            try await ending
                .end(family.session, of: family.identity, as: .tokenReused, by: .server, in: context)
            throw Self.refusal
        case .first, .unknown:
            throw Self.refusal
        }
    }

    /// The error for every rejected token; its text is always the same, so it does not reveal whether a token
    /// was ever valid.
    private static let refusal = OAuthError(
        .invalidGrant,
        reason: "The refresh token is invalid, expired or revoked."
    )

    /// Returns a token pair with the successor of a used refresh token; each call issues a new access token.
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
    /// Returns the JWK thumbprint of the proof's key if a token of a type is bound to a key, otherwise `nil`.
    func thumbprint(for type: AccessTokenType) -> [UInt8]? {
        type == .dpop ? key.jwkThumbprint : nil
    }
}
