import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The endpoints that issue, refresh and revoke token pairs.
///
/// The tokens of sessions are for this server's own apps, which don't authenticate, but every request must
/// contain a proof of possession (RFC 9449). All other clients are registered, and their tokens belong to
/// grants.
struct TokenEndpoints: Sendable {
    /// The client id of this server's own apps.
    ///
    /// Their requests may omit it.
    private let clientID: String
    private let nonces: DPoPNonces
    /// Verifies proofs.
    ///
    /// Both grants share this verifier, so a proof cannot be used for both of them.
    private let proofs: DPoPVerifier
    private let exchange: TokenExchange
    private let refresh: TokenRefresh
    private let revocation: TokenRevocation
    private let clients: ClientTokens
    private let pushed: PushedRequests
    private let handover: HandoverExchange

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
    ///   - duties: Refuses tokens while a duty of their account blocks.
    ///   - clients: Issues and revokes the tokens of registered clients.
    ///   - pushed: Stores the authorization requests of registered clients.
    ///   - handover: Issues the codes with which apps hand their sessions over.
    init(
        settings: TokenSettings,
        proofs: DPoPVerifier,
        secrets: ServerSecrets,
        database: any Database,
        accessTokens: AccessTokenIssuer,
        sessions: SessionRepository,
        revoker: SessionRevoker,
        audit: AuditLog,
        limiter: Limiter,
        duties: TokenDuties,
        clients: ClientTokens,
        pushed: PushedRequests,
        handover: HandoverExchange
    ) {
        self.handover = handover
        self.clients = clients
        self.pushed = pushed
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
            duties: duties,
            audience: accessTokens.audience,
            audit: audit
        )
        refresh = TokenRefresh(
            proofs: proofs,
            pairs: pairs,
            ending: revoker,
            sessions: sessions,
            families: families,
            duties: duties,
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
                accepts: .body(BodyCredentials([.sessionToken, .refreshToken, .code], needsProof: true)),
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
                Route.pushedRequests,
                below: .server,
                accepts: .body(BodyCredentials([])),
                errors: .oauth,
                operation: .pushRequest
            ) { context in
                var response = try await refusing { try await pushed.push(context) }
                if context.request.headers[DPoPProof.header] != nil {
                    response.headers[DPoPProof.nonceHeader] = nonces.issue(at: context.now)
                }
                return response
            },
            Endpoint(
                .post,
                Route.revocation,
                below: .server,
                accepts: .body(BodyCredentials([.sessionToken, .refreshToken, .accessToken]))
                    .exemptFromDuties,
                errors: .oauth,
                cors: .clients,
                operation: .revokeToken
            ) { context in
                try await refusing {
                    for token in [BodyCredentials.Token.sessionToken, .refreshToken, .accessToken] {
                        try context.requireDeclared(token)
                    }
                    let fields = try FormFields(context.request)
                    guard isOwn(fields, in: context) else {
                        return try await clients.revoke(fields, in: context)
                    }
                    return try await revocation.revoke(fields, in: context)
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
        let fields = try FormFields(context.request)
        if let purpose = HandoverExchange.RequestedCode(of: fields) {
            try context.requireDeclared(.sessionToken)
            let client = isOwn(fields, in: context) ? nil : try await clients.client(fields, in: context)
            return .json(
                200,
                body: try await handover.body(for: purpose, in: fields, by: client, context: context)
            )
        }
        guard isOwn(fields, in: context) else {
            try context.requireDeclared(.code)
            return try await clients.issue(fields, in: context)
        }
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
            case .authorizationCode: throw Self.unsupported
            }
        return .json(200, body: body.json)
    }

    /// Returns whether a request comes from one of this server's own apps.
    private func isOwn(_ fields: FormFields, in context: RequestContext) -> Bool {
        guard let id = fields["client_id"] else {
            return context.request.token(by: .basic) == nil && fields["client_secret"] == nil
        }
        return id == clientID
    }

    private static let unsupported = OAuthError(
        .unsupportedGrantType,
        reason: "The grant type is not supported."
    )

    /// Returns the requested grant.
    ///
    /// Throws `unsupportedGrantType` if the grant is unknown, and `invalidScope` if the request specifies a
    /// scope.
    private func grant(_ fields: FormFields) throws(OAuthError) -> TokenRequest.Grant {
        guard let grant = TokenRequest.Grant(rawValue: try fields.required("grant_type")),
            grant != .authorizationCode
        else { throw Self.unsupported }
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
