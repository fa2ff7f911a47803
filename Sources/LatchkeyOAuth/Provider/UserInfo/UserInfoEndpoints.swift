import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The userinfo endpoint (OpenID Connect Core, section 5.3).
struct UserInfoEndpoints: Sendable {
    private let reader: GrantTokenReader
    private let proofs: DPoPVerifier
    private let nonces: DPoPNonces
    private let grants: GrantRepository
    private let duties: TokenDuties
    private let clients: ClientRegistry
    private let schemas: SchemaCatalog

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        reader: GrantTokenReader,
        proofs: DPoPVerifier
    ) {
        clients = accounts.clients
        schemas = accounts.schemas
        duties = TokenDuties(accounts)
        self.reader = reader
        self.proofs = proofs
        nonces = DPoPNonces(secrets: environment.secrets)
        grants = GrantRepository(database: environment.database)
    }

    var endpoints: [Endpoint] {
        [HTTP.Method.get, .post].map { method in
            Endpoint(
                method,
                Route.userInfo,
                below: .server,
                accepts: .clientToken,
                errors: .oauth,
                cors: .clients,
                operation: .userInfo(posting: method == .post)
            ) { context in
                var response: HTTP.Response
                do {
                    response = try await claims(context)
                } catch let error as OAuthError {
                    response = error.response
                    if context.request.headers[DPoPProof.header] != nil {
                        response.headers[DPoPProof.nonceHeader] = nonces.issue(at: context.now)
                    }
                }
                response.headers["Cache-Control"] = "no-store"
                response.headers["Pragma"] = "no-cache"
                return response
            }
        }
    }

    /// Returns the claims of the user who authorized the token's client.
    private func claims(_ context: RequestContext) async throws -> HTTP.Response {
        let token = try UserInfoToken(context.request)
        guard let claims = try await reader.claims(of: token.secret, at: context.now) else {
            throw Self.invalidToken(token.scheme)
        }
        if let client = try await clients.client(claims.client) {
            context.shareResponse(withOrigins: client.metadata.corsOrigins)
        }
        let proof = try proof(of: token, claims: claims, in: context)
        guard claims.isForThisServer, claims.scopes.contains(ScopeName.openID) else {
            throw OAuthError(
                .insufficientScope,
                reason: "The access token does not have the scope openid.",
                status: 403,
                headers: [
                    AuthenticationChallenge.header: Self.challenge("insufficient_scope", for: token.scheme)
                ]
            )
        }
        guard let found = try await grants.claims(of: claims, schemas: schemas, at: context.now) else {
            throw Self.invalidToken(token.scheme)
        }
        _ = try await duties.requireNoneBlocking(
            of: found.account,
            at: claims.client,
            in: context,
            status: 403
        )
        if let proof { try await take(proof, at: context.now) }
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("sub")
            writer.identifier(found.account.id)
            found.claims.write(for: Set(claims.scopes), to: &writer)
        }
        return .json(200, body: writer.bytes)
    }

    // MARK: Tokens

    /// Returns the proof of a token that is bound to a key, and makes sure that others don't use its scheme.
    private func proof(
        of token: UserInfoToken,
        claims: GrantClaims,
        in context: RequestContext
    ) throws -> PresentedProof? {
        guard let thumbprint = claims.keyThumbprint else {
            guard token.scheme == .bearer else { throw Self.invalidToken(token.scheme) }
            return nil
        }
        guard token.scheme == .dpop else { throw Self.invalidToken(.dpop) }
        do {
            let proof = try proofs.proof(of: context)
            guard proof.thumbprintText == thumbprint,
                proof.accessTokenHash == Base64URL.encode(SHA256.hash(Array(token.secret.exposed.utf8)))
            else {
                throw PresentedProof.refusal("The DPoP proof was not made for the access token.")
            }
            return proof
        } catch let error as OAuthError {
            throw Self.refused(error)
        }
    }

    /// Uses up a proof.
    private func take(_ proof: PresentedProof, at now: Timestamp) async throws {
        do {
            try await proofs.take(proof, at: now)
        } catch let error as OAuthError {
            throw Self.refused(error)
        }
    }

    /// Returns the error for a proof that is rejected.
    private static func refused(_ error: OAuthError) -> OAuthError {
        OAuthError(
            error.code,
            reason: error.reason,
            status: 401,
            headers: [AuthenticationChallenge.header: challenge(error.code.rawValue, for: .dpop)]
        )
    }

    private static func invalidToken(_ scheme: AuthenticationScheme) -> OAuthError {
        OAuthError(
            .invalidToken,
            reason: "The access token is invalid, expired or revoked.",
            status: 401,
            headers: [AuthenticationChallenge.header: challenge("invalid_token", for: scheme)]
        )
    }

    private static func challenge(_ error: String, for scheme: AuthenticationScheme) -> String {
        let reason = AuthenticationChallenge.Reason(rawValue: error)
        return scheme == .dpop
            ? AuthenticationChallenge.dpop(reason).value : AuthenticationChallenge.bearer(reason).value
    }
}

extension GrantRepository {
    /// Returns the account of a token whose grant hasn't ended and that hasn't been revoked itself, with its
    /// claims.
    func claims(
        of token: GrantClaims,
        schemas: SchemaCatalog,
        at now: Timestamp
    ) async throws -> (account: IdentityRecord, claims: IdentityClaims)? {
        let rows = try await database.rows(
            """
            SELECT i.id, i.schema_id, i.state, i.body, i.duties, i.agreements, \(IdentityClaims.columns) \
            FROM grants JOIN identities i ON i.id = grants.identity_id \(IdentityClaims.join) \
            WHERE grants.id = $2 AND grants.client_id = $3 AND \(Self.isAlive) \
            AND NOT EXISTS (SELECT 1 FROM revoked_access_tokens r WHERE r.id = $4)
            """,
            .time(now),
            .identifier(token.grant),
            .text(token.client),
            .text(token.id)
        )
        guard let first = rows.first,
            let claims = try IdentityClaims(rows: rows, at: 6, schemas: schemas)
        else { return nil }
        return (try IdentityRecord(row: first), claims)
    }
}
