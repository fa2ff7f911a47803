import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The endpoints that issue, refresh and revoke token pairs.
///
/// All clients are public clients and don't authenticate, but every request to the token endpoint must
/// contain a proof of possession (RFC 9449).
struct TokenEndpoints: Sendable {
    /// The only valid client id.
    ///
    /// Requests may omit the client id.
    private let clientID: String
    private let nonces: DPoPNonces
    /// Verifies proofs.
    ///
    /// Both grants share this verifier, so a proof cannot be used for both of them.
    private let proofs: DPoPVerifier
    private let exchange: TokenExchange
    private let refresh: TokenRefresh
    private let revocation: TokenRevocation

    /// Creates the endpoints and the services they use.
    ///
    /// - Parameters:
    ///   - settings: Specifies the client id and the prefix of refresh tokens.
    ///   - proofs: Verifies proofs. All endpoints that accept proofs must share the same verifier.
    ///   - secrets: The secrets that the keys for refresh tokens and nonces are derived from.
    ///   - database: The database that contains the token families.
    ///   - accessTokens: Issues access tokens.
    ///   - sessions: Looks up the sessions for subject tokens.
    ///   - revoker: Revokes a session when its token is revoked or reused.
    ///   - audit: The audit log.
    ///   - limiter: Counts the renewals of a session's tokens.
    init(
        settings: TokenSettings,
        proofs: DPoPVerifier,
        secrets: ServerSecrets,
        database: any Database,
        accessTokens: AccessTokenIssuer,
        sessions: SessionRepository,
        revoker: SessionRevoker,
        audit: AuditLog,
        limiter: Limiter
    ) {
        let families = TokenFamilyRepository(database: database, sessionSettings: sessions.settings)
        let pairs = TokenIssuer(
            accessTokens: accessTokens,
            refreshTokens: RefreshTokenCodec(prefix: settings.refreshPrefix, secrets: secrets)
        )
        clientID = settings.clientID
        self.proofs = proofs
        nonces = DPoPNonces(secrets: secrets)
        exchange = TokenExchange(
            proofs: proofs,
            pairs: pairs,
            sessions: sessions,
            families: families,
            audience: accessTokens.audience,
            audit: audit
        )
        refresh = TokenRefresh(
            proofs: proofs,
            pairs: pairs,
            ending: revoker,
            families: families,
            limiter: limiter
        )
        revocation = TokenRevocation(pairs: pairs, ending: revoker, sessions: sessions, families: families)
    }

    /// The endpoints for issuing, refreshing and revoking tokens.
    ///
    /// Token responses and OAuth errors of the token endpoint contain a `DPoP-Nonce` header field. Other
    /// errors, such as database errors, don't contain the field, because they don't depend on the proof.
    /// Responses must not be cached (RFC 6749, section 5.1).
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                Route.token,
                below: .server,
                accepts: .body(BodyCredentials([.sessionToken, .refreshToken], needsProof: true)),
                errors: .oauth,
                cors: .clients,
                operation: .makeTokens
            ) { context in
                var response = try await refusing { try await token(context) }
                response.headers[DPoPProof.nonceHeader] = nonces.issue(at: context.now)
                return response
            },
            Endpoint(
                .post,
                Route.revocation,
                below: .server,
                accepts: .body(BodyCredentials([.sessionToken, .refreshToken])),
                errors: .oauth,
                cors: .clients,
                operation: .revokeToken
            ) { context in
                try await refusing {
                    for token in BodyCredentials.Token.allCases { try context.requireDeclared(token) }
                    return try await revocation.revoke(fields(of: context), in: context)
                }
            },
        ]
    }

    /// Handles a request to the token endpoint.
    ///
    /// The parameters are validated first, then the proof, and finally the token.
    ///
    /// - Throws: ``OAuthError`` if the request is rejected, or any ``DatabaseError`` or ``CryptoError``.
    private func token(_ context: RequestContext) async throws -> HTTP.Response {
        let fields = try fields(of: context)
        let grant = try grant(fields)
        try context.requireDeclared(grant == .tokenExchange ? .sessionToken : .refreshToken)
        let type = try type(fields)
        let proof = try proofs.proof(of: context)
        let body =
            switch grant {
            case .tokenExchange:
                try await exchange.pair(for: fields, type: type, proof: proof, in: context)
            case .refreshToken:
                try await refresh.pair(for: fields, type: type, proof: proof, in: context)
            }
        return .json(200, body: body.json)
    }

    /// Returns the parameters of a request.
    ///
    /// If there is a client id, it must be the configured one.
    private func fields(of context: RequestContext) throws(OAuthError) -> FormFields {
        let fields = try FormFields(context.request)
        guard fields["client_id"].map({ $0 == clientID }) ?? true else {
            throw OAuthError(.invalidClient, reason: "The client_id is unknown.", status: 401)
        }
        return fields
    }

    /// Returns the requested grant.
    ///
    /// Throws `unsupportedGrantType` if the grant is unknown, and `invalidScope` if the request specifies a
    /// scope.
    private func grant(_ fields: FormFields) throws(OAuthError) -> TokenRequest.Grant {
        guard let grant = TokenRequest.Grant(rawValue: try fields.required("grant_type")) else {
            throw OAuthError(.unsupportedGrantType, reason: "The grant type is not supported.")
        }
        guard fields["scope"] == nil else {
            throw OAuthError(.invalidScope, reason: "Scopes are not supported.")
        }
        return grant
    }

    /// Returns the requested type of access token.
    ///
    /// The default is a bearer token.
    private func type(_ fields: FormFields) throws(OAuthError) -> AccessTokenType {
        guard let name = fields[TokenRequest.tokenTypeParameter] else { return .bearer }
        guard let type = AccessTokenType(name) else {
            throw OAuthError(.invalidRequest, reason: "The token_type must be Bearer or DPoP.")
        }
        return type
    }

    /// Turns an ``OAuthError`` into a response.
    ///
    /// Errors of any other type are rethrown. All responses forbid caching.
    private func refusing(_ answer: () async throws -> HTTP.Response) async throws -> HTTP.Response {
        var response: HTTP.Response
        do {
            response = try await answer()
        } catch let refusal as OAuthError {
            response = refusal.response
        }
        response.headers["Cache-Control"] = "no-store"
        response.headers["Pragma"] = "no-cache"
        return response
    }
}
