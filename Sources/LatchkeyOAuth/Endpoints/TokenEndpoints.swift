package import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The routes that issue, refresh and revoke token pairs.
///
/// Clients are public: they do not authenticate, but every token request has a proof of possession (RFC
/// 9449).
package struct TokenEndpoints: Sendable {
    private let clientID: String
    private let nonces: ProofNonces
    private let proofs: ProofCheck
    private let exchange: TokenExchange
    private let refresh: TokenRefresh
    private let revocation: TokenRevocation

    /// Creates the routes, with the services that issue, verify and revoke tokens.
    ///
    /// - Parameters:
    ///   - settings: The client id and the prefix of refresh tokens.
    ///   - origin: The URL of the server, which proofs must name in `htu`.
    ///   - secrets: The secrets from which refresh tokens and nonces are derived.
    ///   - database: The database with token families and the replay cache.
    ///   - accessTokens: The issuer of access tokens.
    ///   - sessions: The repository in which the subject tokens are found.
    ///   - revoker: Revokes the session of a revoked or reused token.
    ///   - audit: The audit log.
    package init(
        settings: TokenSettings,
        origin: String,
        secrets: ServerSecrets,
        database: any Database,
        accessTokens: AccessTokens,
        sessions: SessionRepository,
        revoker: SessionEnding,
        audit: AuditLog
    ) {
        let families = TokenFamilyRepository(database: database)
        let pairs = TokenPairs(
            accessTokens: accessTokens,
            refreshTokens: RefreshTokenCodec(prefix: settings.refreshPrefix, secrets: secrets)
        )
        clientID = settings.clientID
        nonces = ProofNonces(secrets: secrets)
        proofs = ProofCheck(origin: origin, nonces: nonces, database: database)
        exchange = TokenExchange(
            proofs: proofs,
            pairs: pairs,
            sessions: sessions,
            families: families,
            audience: accessTokens.audience,
            audit: audit
        )
        refresh = TokenRefresh(proofs: proofs, pairs: pairs, ending: revoker, families: families)
        revocation = TokenRevocation(pairs: pairs, ending: revoker, sessions: sessions, families: families)
    }

    /// The routes of this group.
    ///
    /// Every response of the token endpoint has a `DPoP-Nonce`. No response may be cached (RFC 6749, section
    /// 5.1).
    package var endpoints: [Endpoint] {
        [
            Endpoint(.post, Route.token, below: .server, operation: .makeTokens) { exchange in
                var response = try await refusing { try await token(exchange) }
                response.headers[DPoPProof.nonceHeader] = nonces.issue(at: exchange.now)
                return response
            },
            Endpoint(.post, Route.revocation, below: .server, operation: .revokeToken) { exchange in
                try await refusing { try await revocation.revoke(fields(of: exchange), in: exchange) }
            },
        ]
    }

    private func token(_ exchange: Exchange) async throws -> HTTP.Response {
        let fields = try fields(of: exchange)
        let grant = try grant(fields)
        let proof = try proofs.proof(of: exchange)
        let body =
            switch grant {
            case .tokenExchange:
                try await self.exchange.pair(for: fields, proof: proof, in: exchange)
            case .refreshToken:
                try await refresh.pair(for: fields, proof: proof, in: exchange)
            }
        return .json(200, body: body.json)
    }

    /// Returns the parameters of a request; the client id is optional, but must be that of the only client if
    /// present.
    private func fields(of exchange: Exchange) throws(OAuthError) -> FormFields {
        let fields = try FormFields(exchange.request)
        guard fields["client_id"].map({ $0 == clientID }) ?? true else {
            throw OAuthError(.invalidClient, reason: "The client_id is unknown.", status: 401)
        }
        return fields
    }

    private func grant(_ fields: FormFields) throws(OAuthError) -> TokenRequest.Grant {
        guard let grant = TokenRequest.Grant(rawValue: try fields.required("grant_type")) else {
            throw OAuthError(.unsupportedGrantType, reason: "The grant type is not supported.")
        }
        guard fields["scope"] == nil else {
            throw OAuthError(.invalidScope, reason: "Scopes are not supported.")
        }
        return grant
    }

    /// Converts an ``OAuthError`` to its response, and forbids caching of all responses.
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
