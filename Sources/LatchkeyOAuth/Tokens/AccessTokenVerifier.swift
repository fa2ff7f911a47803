import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Verifies the access tokens that clients send to this server's own APIs.
///
/// If a token is bound to a key, the proof of possession is also verified (RFC 9449, section 7).
struct AccessTokenVerifier: Sendable {
    private let tokens: AccessTokenIssuer
    private let proofs: DPoPVerifier
    private let nonces: DPoPNonces

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - tokens: Verifies access tokens.
    ///   - proofs: Verifies proofs. All endpoints that accept proofs must share the same verifier.
    ///   - nonces: Issues the nonces in error responses.
    init(tokens: AccessTokenIssuer, proofs: DPoPVerifier, nonces: DPoPNonces) {
        (self.tokens, self.proofs, self.nonces) = (tokens, proofs, nonces)
    }

    /// Returns the access token of a request.
    ///
    /// A token that is bound to a key is accepted only with the `DPoP` authentication scheme, and the request
    /// must contain a fresh proof that was created for this request and signed with that key. Each proof can
    /// only be used once. Bearer tokens aren't accepted with the `DPoP` scheme.
    ///
    /// - Parameter context: The request context.
    /// - Returns: The token, or `nil` if the request doesn't contain a valid access token from this server.
    ///   The token's session may have ended.
    /// - Throws: ``ServerError`` with status 401, a challenge and a nonce if the token is bound to a key and
    ///   there is no valid proof, or ``DatabaseError``.
    func token(of context: RequestContext) async throws -> PresentedAccessToken? {
        if let token = context.sessionToken {
            // Only access tokens contain a dot, unless the configured prefix for session tokens contains one
            // too.
            guard
                token.exposed.utf8.contains(UInt8(ascii: ".")),
                let claims = try await tokens.claims(of: token, at: context.now)
            else { return nil }
            guard claims.keyThumbprint == nil else {
                throw refusal(
                    PresentedProof.refusal(
                        "The access token is bound to a key. Send it as Authorization: DPoP, with a proof."
                    ),
                    of: context
                )
            }
            return PresentedAccessToken(claims, provenWith: nil)
        }
        guard
            let token = context.request.token(by: .dpop),
            let claims = try await tokens.claims(of: token, at: context.now),
            let keyThumbprint = claims.keyThumbprint
        else { return nil }
        let key = try await provenKey(in: context, for: token, boundTo: keyThumbprint)
        return PresentedAccessToken(claims, provenWith: key.thumbprint)
    }

    /// Returns the thumbprint of the key in the proof of possession that a request contains in addition to a
    /// session token.
    ///
    /// The proof must be fresh and must have been created for this request and this token. Each proof can
    /// only be used once.
    ///
    /// - Throws: ``ServerError`` with status 401, a challenge and a nonce if the proof isn't valid, or
    ///   ``DatabaseError``.
    func provenKey(in context: RequestContext, for token: Secret) async throws -> [UInt8] {
        try await provenKey(in: context, for: token, boundTo: nil).thumbprint
    }

    /// Verifies and consumes the proof in a request.
    private func provenKey(
        in context: RequestContext,
        for token: Secret,
        boundTo keyThumbprint: String?
    ) async throws -> VerifyingKey {
        do {
            let proof = try proofs.proof(of: context)
            try Self.check(proof, for: token, boundTo: keyThumbprint)
            try await proofs.take(proof, at: context.now)
            return proof.key
        } catch let error as OAuthError {
            throw refusal(error, of: context)
        }
    }

    /// Checks that a proof was created for a token and signed with the key that the token is bound to, if
    /// any.
    private static func check(
        _ proof: PresentedProof,
        for token: Secret,
        boundTo keyThumbprint: String?
    ) throws(OAuthError) {
        let thumbprint = Base64URL.encode(proof.key.jwkThumbprint)
        guard keyThumbprint.map({ ConstantTime.equal(Array(thumbprint.utf8), Array($0.utf8)) }) ?? true else {
            throw PresentedProof.refusal(
                "The DPoP proof was not signed with the key to which the access token is bound."
            )
        }
        guard proof.accessTokenHash == Base64URL.encode(SHA256.hash(Array(token.exposed.utf8))) else {
            throw PresentedProof.refusal("The ath claim of the DPoP proof does not match the access token.")
        }
    }

    /// Returns an error with status 401 for a missing or invalid proof.
    ///
    /// The error contains a challenge and the nonce for the next proof.
    private func refusal(_ error: OAuthError, of context: RequestContext) -> ServerError {
        let isNonceMissing = error.code == .useDPoPNonce
        // Without a proof, the access token was sent as another kind of token.
        let isProofMissing = context.request.headers[DPoPProof.header] == nil
        let reason: AuthenticationChallenge.Reason =
            isNonceMissing ? .nonceRequired : isProofMissing ? .invalidToken : .proofInvalid
        var headers = HTTP.Headers.challenge(.dpop(reason))
        headers[DPoPProof.nonceHeader] = nonces.issue(at: context.now)
        return ServerError(
            401,
            id: isNonceMissing ? .useDPoPNonce : .invalidDPoPProof,
            reason: error.reason,
            headers: headers
        )
    }
}

extension PresentedAccessToken {
    /// Creates a token from its claims, after a proof has been verified if the token is bound to a key.
    fileprivate init(_ claims: AccessTokenIssuer.Claims, provenWith keyThumbprint: [UInt8]?) {
        self.init(
            session: claims.session,
            isForThisServer: claims.isForThisServer,
            scopes: claims.scopes,
            keyThumbprint: keyThumbprint,
            expiresAt: claims.expiresAt
        )
    }
}
