import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Handles the requests of registered clients to the token and revocation endpoints.
struct ClientTokens: Sendable {
    let authenticator: ClientAuthenticator
    private let proofs: DPoPVerifier
    private let redemption: CodeRedemption
    private let refresh: GrantRefresh
    private let exchange: GrantExchange
    private let tokens: GrantTokens
    private let reader: GrantTokenReader
    private let clients: ClientRegistry
    private let audit: AuditLog
    private let database: any Database

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        settings: ProviderSettings,
        tokens: GrantTokens,
        reader: GrantTokenReader,
        proofs: DPoPVerifier
    ) {
        authenticator = ClientAuthenticator(environment, accounts: accounts)
        self.proofs = proofs
        self.tokens = tokens
        self.reader = reader
        redemption = CodeRedemption(environment, accounts: accounts, tokens: tokens, proofs: proofs)
        refresh = GrantRefresh(
            environment,
            accounts: accounts,
            settings: settings,
            tokens: tokens,
            proofs: proofs
        )
        exchange = GrantExchange(environment, accounts: accounts, reader: reader, proofs: proofs)
        clients = accounts.clients
        audit = accounts.audit
        database = environment.database
    }

    /// Issues tokens for a client.
    func issue(_ fields: FormFields, in context: RequestContext) async throws -> HTTP.Response {
        let request = ClientRequest(
            client: try await client(fields, in: context),
            fields: fields,
            proof: context.request.headers[DPoPProof.header] == nil ? nil : try proofs.proof(of: context),
            context: context
        )
        switch TokenRequest.Grant(rawValue: try fields.required("grant_type")) {
        case .authorizationCode: return .json(200, body: try await redemption.body(for: request).json)
        case .refreshToken: return .json(200, body: try await refresh.body(for: request).json)
        case .tokenExchange: return .json(200, body: try await exchange.body(for: request))
        case nil: throw OAuthError(.unsupportedGrantType, reason: "The grant type is not supported.")
        }
    }

    /// Returns the client of a request, which has authenticated itself.
    func client(_ fields: FormFields, in context: RequestContext) async throws -> OAuthClient {
        let credentials = try ClientCredentials(
            headers: context.request.headers,
            clientID: fields["client_id"],
            secret: fields["client_secret"]
        )
        // A script can also read why its client isn't authenticated.
        if let client = try await clients.client(credentials.clientID) {
            context.shareResponse(withOrigins: client.metadata.corsOrigins)
        }
        return try await authenticator.client(credentials, in: context)
    }

    // MARK: Revocation

    /// Revokes a token of a client (RFC 7009).
    ///
    /// The refresh token ends its grant, and an access token only itself. The tokens of other clients and
    /// unknown tokens get the same response, and don't change.
    func revoke(_ fields: FormFields, in context: RequestContext) async throws -> HTTP.Response {
        let client = try await client(fields, in: context)
        let token = Secret(try fields.required("token"))
        if let uri = RequestURI(presented: token.exposed) {
            try await withdraw(uri, of: client, in: context)
        } else if let refresh = tokens.refreshTokens.read(token) {
            try await end(refresh, of: client, in: context)
        } else if let claims = try await reader.claims(of: token, at: context.now), claims.client == client.id
        {
            try await database.transaction { transaction in
                try RevokedAccessTokens.insert(claims, in: transaction)
            }
        }
        return .json(200, body: RevocationBody.json)
    }

    /// Withdraws a pushed request.
    ///
    /// One that is bound to a key needs a proof of the key.
    private func withdraw(
        _ uri: RequestURI,
        of client: OAuthClient,
        in context: RequestContext
    ) async throws {
        let hasProof = context.request.headers[DPoPProof.header] != nil
        let proof = hasProof ? try proofs.proof(of: context) : nil
        if let proof { try await proofs.take(proof, at: context.now) }
        let thumbprint = proof?.thumbprintText
        try await database.transaction { transaction in
            _ = try PushedRequestRepository.withdraw(
                uri,
                of: client.id,
                provenBy: thumbprint,
                at: context.now,
                in: transaction
            )
        }
    }

    private func end(
        _ token: RefreshToken,
        of client: OAuthClient,
        in context: RequestContext
    ) async throws {
        let grants = GrantRepository(database: database)
        guard let found = try await grants.find(token.session, of: client.id, at: context.now),
            token.number == found.used || token.number == found.used + 1
        else { return }
        let event = audit.event(
            .grantRevoked,
            of: found.grant.identity,
            by: .server,
            in: context,
            about: client.id,
            at: context.now
        )
        try await database.transaction { transaction in
            guard try GrantRepository.end(found.grant.id, at: context.now, in: transaction) else { return }
            try AuditLog.append(event, in: transaction)
        }
    }
}

/// Stores the access tokens that were revoked before they expire.
enum RevokedAccessTokens {
    static func insert(
        _ claims: GrantClaims,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "INSERT INTO revoked_access_tokens (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            .text(claims.id),
            .time(claims.expiresAt)
        )
    }

    /// Deletes the tokens that have expired.
    static func deleteExpired(
        at now: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            DELETE FROM revoked_access_tokens WHERE id IN (SELECT id FROM revoked_access_tokens \
            WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
            """,
            .time(now),
            .integer(Int64(limit))
        )
    }
}
