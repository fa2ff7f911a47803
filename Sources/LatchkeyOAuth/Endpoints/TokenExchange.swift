import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The token exchange grant (RFC 8693).
///
/// Clients use this grant to exchange a session token for a token pair. The session must have a device
/// certificate.
///
/// A session has a single family of refresh tokens. A client that has the session token and proves possession
/// of the device key always receives the newest refresh token of the family. As a result, the client can
/// retry after a lost response, and the family never splits into two sequences of valid tokens.
struct TokenExchange: Sendable {
    /// The only audience or resource that requests may specify.
    private let audience: String
    private let audit: AuditLog
    private let sessions: SessionRepository
    private let families: TokenFamilyRepository
    private let duties: TokenDuties
    private let proofs: DPoPVerifier
    private let pairs: TokenIssuer

    /// Creates the grant.
    ///
    /// `audience` must be the `aud` claim of the tokens that `pairs` issues.
    init(
        proofs: DPoPVerifier,
        pairs: TokenIssuer,
        sessions: SessionRepository,
        families: TokenFamilyRepository,
        duties: TokenDuties,
        audience: String,
        audit: AuditLog
    ) {
        self.proofs = proofs
        self.pairs = pairs
        self.sessions = sessions
        self.families = families
        self.duties = duties
        self.audience = audience
        self.audit = audit
    }

    /// Returns the token pair for a request.
    ///
    /// The session and its key are verified before the proof is consumed, so a rejected request doesn't use
    /// up the proof. If the session token replaced an earlier one, its first use is recorded even if the
    /// request is rejected later.
    ///
    /// - Parameters:
    ///   - fields: The parameters of the request.
    ///   - type: The type of access token to issue. A DPoP token is bound to the key that signed the proof.
    ///   - proof: The verified proof of possession, which this method consumes.
    ///   - context: The request context.
    /// - Returns: The body of the response.
    /// - Throws: ``OAuthError`` if the session has ended, has no certificate or is bound to a different key,
    ///   if a duty of its account blocks, or if the proof has already been used.
    func pair(
        for fields: FormFields,
        type: AccessTokenType,
        proof: PresentedProof,
        in context: RequestContext
    ) async throws -> TokenBody {
        let now = context.now
        let token = Secret(try subjectToken(fields))
        guard
            let presented = try await sessions.find(SessionToken(presented: token)),
            presented.isAlive(at: now)
        else {
            throw OAuthError(
                .invalidRequest,
                reason: "The subject_token is not the token of an active session."
            )
        }
        let found = try await sessions.noteUse(of: presented, at: now)
        let keys = try await families.certifiedKeys(of: found.session.id)
        guard !found.session.needsCertificate, !keys.isEmpty else {
            throw OAuthError(
                .invalidRequest,
                reason: "The session has no device certificate to which the tokens can be bound."
            )
        }
        guard keys.contains(proof.key.thumbprint) else {
            throw PresentedProof.refusal(
                "The DPoP proof was not signed with the key of the device certificate."
            )
        }
        let open = try await duties.open(for: found, in: context)
        if let refusal = OAuthError(refusingWhile: open) { throw refusal }
        try await proofs.take(proof, at: now)
        let family = try await family(of: found.session, key: proof.key, in: context)
        var body = try await pairs.pair(
            of: family,
            family.newest,
            boundTo: proof.thumbprint(for: type),
            at: now
        )
        body.issuedTokenType = TokenType.accessToken.rawValue
        body.duties = open.map(\.kind.rawValue)
        return body
    }

    /// Returns the token family of a session.
    ///
    /// The family is created the first time a token is exchanged.
    ///
    /// - Throws: ``OAuthError`` with the code `invalidRequest` if the session has ended in the meantime, or
    ///   ``DatabaseError``.
    private func family(of session: Session, key: VerifyingKey, in context: RequestContext) async throws
        -> TokenFamily
    {
        if let family = try await families.find(session.id) { return family }
        let event = audit.event(
            .tokensIssued,
            of: session.identityID,
            in: context,
            about: session.id.description,
            at: context.now
        )
        try await families.open(
            session.id,
            keyThumbprint: key.thumbprint,
            at: context.now,
            recording: event
        )
        // If there is still no family, the session must have ended.
        guard let family = try await families.find(session.id) else {
            throw OAuthError(
                .invalidRequest,
                reason: "The subject_token is not the token of an active session."
            )
        }
        return family
    }

    /// Validates the parameters defined in RFC 8693 and returns the subject token.
    ///
    /// The type of the subject token and the requested token must be `access_token`. Delegation
    /// (`actor_token`) isn't supported. If the request specifies an `audience` or `resource`, it must be the
    /// configured audience.
    ///
    /// - Throws: ``OAuthError`` with the code `invalidRequest`, or `invalidTarget` if the request specifies a
    ///   different audience.
    private func subjectToken(_ fields: FormFields) throws(OAuthError) -> String {
        let token = try fields.required("subject_token")
        guard try fields.required("subject_token_type") == TokenType.accessToken.rawValue else {
            throw OAuthError(
                .invalidRequest,
                reason: "The subject_token_type must be access_token."
            )
        }
        guard [nil, TokenType.accessToken.rawValue].contains(fields["requested_token_type"]) else {
            throw OAuthError(
                .invalidRequest,
                reason: "The requested_token_type must be access_token."
            )
        }
        guard fields["actor_token"] == nil, fields["actor_token_type"] == nil else {
            throw OAuthError(.invalidRequest, reason: "actor_token is not supported.")
        }
        let targets = fields.all("audience") + fields.all("resource")
        guard targets.allSatisfy({ $0 == audience }) else {
            throw OAuthError(
                .invalidTarget,
                reason: "Tokens are issued only for the audience \(audience)."
            )
        }
        return token
    }
}
