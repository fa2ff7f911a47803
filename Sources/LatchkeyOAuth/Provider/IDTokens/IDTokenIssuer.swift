import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Issues ID tokens (OpenID Connect Core, section 2).
struct IDTokenIssuer: Sendable {
    /// The `typ` in the header.
    static let mediaType = "JWT"

    private let issuer: String
    private let keys: SigningKeyRing
    private let accounts: AccountsModule
    private let database: any Database

    init(issuer: String, keys: SigningKeyRing, accounts: AccountsModule, database: any Database) {
        self.issuer = issuer
        self.keys = keys
        self.accounts = accounts
        self.database = database
    }

    /// Issues an ID token for a client.
    ///
    /// - Throws: ``CryptoError`` or ``DatabaseError``.
    // The optimizer of Swift 6.3.1 crashes if this function is inlined.
    @inline(never)
    func issue(
        for grant: Grant,
        client: OAuthClient,
        scopes: [String],
        authentications: [Authentication],
        accessToken: Secret,
        nonce: String?,
        lifespan: Duration,
        at now: Timestamp
    ) async throws -> Secret {
        let claims = try await claims(of: grant.identity, for: client)
        let payload = payload(
            for: grant,
            client: client,
            scopes: scopes,
            authentications: authentications,
            accessToken: accessToken,
            nonce: nonce,
            lifespan: lifespan,
            claims: claims,
            at: now
        )
        let token = try await keys.sign(
            payload,
            type: Self.mediaType,
            algorithm: client.metadata.idTokenAlgorithm,
            at: now
        )
        return token
    }

    private func payload(
        for grant: Grant,
        client: OAuthClient,
        scopes: [String],
        authentications: [Authentication],
        accessToken: Secret,
        nonce: String?,
        lifespan: Duration,
        claims: IdentityClaims?,
        at now: Timestamp
    ) -> [UInt8] {
        var payload = JSONWriter(reserving: 1024)
        payload.object { payload in
            payload.name("iss")
            payload.string(issuer)
            payload.name("sub")
            payload.identifier(grant.identity)
            payload.name("aud")
            payload.string(client.id)
            payload.name("exp")
            payload.integer(now.seconds + lifespan.components.seconds)
            payload.name("iat")
            payload.integer(now.seconds)
            payload.name("auth_time")
            payload.integer(grant.login.authenticatedAt.seconds)
            if let nonce {
                payload.name("nonce")
                payload.string(nonce)
            }
            payload.name("acr")
            payload.string(authentications.level.rawValue)
            payload.name("amr")
            payload.array { payload in
                for reference in authentications.references { payload.string(reference) }
            }
            // Both algorithms use SHA-256.
            payload.name("at_hash")
            payload.string(
                Base64URL.encode(Array(SHA256.hash(Array(accessToken.exposed.utf8)).prefix(16)))
            )
            payload.name("sid")
            payload.identifier(grant.login.session)
            claims?.write(for: Set(scopes), to: &payload)
        }
        return payload.bytes
    }

    /// Returns the claims about the user, unless the client only reads them from the userinfo endpoint.
    private func claims(
        of identity: Identifier,
        for client: OAuthClient
    ) async throws -> IdentityClaims? {
        guard client.metadata.own.claimsInIDToken else { return nil }
        let rows = try await database.rows(
            "SELECT \(IdentityClaims.columns) FROM identities i \(IdentityClaims.join) WHERE i.id = $1",
            .identifier(identity)
        )
        return try IdentityClaims(rows: rows, schemas: accounts.schemas)
    }
}
