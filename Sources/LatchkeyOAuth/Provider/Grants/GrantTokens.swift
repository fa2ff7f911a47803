import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Issues the tokens of grants.
struct GrantTokens: Sendable {
    /// How long an ID token is valid.
    private static let idLifespan = Duration.seconds(3600)

    let refreshTokens: RefreshTokenCodec
    private let settings: TokenSettings
    private let provider: ProviderSettings
    private let issuer: String
    private let privilegedAge: Duration
    private let keys: SigningKeyRing
    private let scopes: ScopeCatalog
    private let idTokens: IDTokenIssuer
    private let random: any RandomSource

    init(
        _ environment: ServerEnvironment,
        tokens: AccessTokens,
        accounts: AccountsModule,
        provider: ProviderSettings,
        scopes: ScopeCatalog
    ) {
        refreshTokens = RefreshTokenCodec(
            prefix: "lk_gt_",
            purpose: .grantToken,
            secrets: environment.secrets
        )
        settings = tokens.settings
        self.provider = provider
        issuer = environment.urls.base
        privilegedAge = accounts.sessionSettings.privilegedAge
        keys = tokens.keys
        self.scopes = scopes
        random = environment.random
        idTokens = IDTokenIssuer(
            issuer: issuer,
            keys: tokens.keys,
            accounts: accounts,
            database: environment.database
        )
    }

    /// Returns how long the access tokens of a client are valid.
    func accessLifespan(of client: OAuthClient, afterRefresh isRefresh: Bool) -> Duration {
        min(
            client.metadata.lifespans[isRefresh ? .refreshAccessToken : .codeAccessToken]
                ?? settings.accessLifespan,
            TokenSettings.longestLifespan
        )
    }

    /// Returns how long the refresh tokens of a client last without being used.
    func refreshLifespan(of client: OAuthClient, afterRefresh isRefresh: Bool) -> Duration {
        client.metadata.lifespans[isRefresh ? .refreshRefreshToken : .codeRefreshToken]
            ?? provider.refreshLifespan
    }

    /// Returns the body of a token response.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - client: The client.
    ///   - scopes: The scopes of the access token, which are some or all of the grant's.
    ///   - number: The number of the refresh token, or `nil` if the client gets none.
    ///   - isFirst: Whether the client redeems its code, so that the ID token contains the nonce.
    ///   - now: The current time.
    /// - Returns: The body.
    /// - Throws: ``CryptoError`` or ``DatabaseError``.
    // The optimizer of Swift 6.3.1 crashes if these functions are inlined.
    @inline(never)
    func body(
        of grant: Grant,
        for client: OAuthClient,
        scopes: [String],
        refreshNumber number: Int64?,
        isFirst: Bool,
        at now: Timestamp
    ) async throws -> GrantTokenBody {
        let lifespan = accessLifespan(of: client, afterRefresh: !isFirst)
        let access = try await accessToken(of: grant, scopes: scopes, lifespan: lifespan, at: now)
        let idToken = try await idToken(
            of: grant,
            for: client,
            scopes: scopes,
            accessToken: access,
            isFirst: isFirst,
            at: now
        )
        let refreshToken = number.map { number in
            refreshTokens.write(RefreshToken(session: grant.id, number: number))
        }
        return GrantTokenBody(
            accessToken: access,
            type: grant.keyThumbprint == nil ? .bearer : .dpop,
            expiresIn: lifespan.components.seconds,
            refreshToken: refreshToken,
            idToken: idToken,
            scopes: scopes
        )
    }

    @inline(never)
    private func idToken(
        of grant: Grant,
        for client: OAuthClient,
        scopes: [String],
        accessToken: Secret,
        isFirst: Bool,
        at now: Timestamp
    ) async throws -> Secret? {
        guard scopes.contains(ScopeName.openID) else { return nil }
        return try await idTokens.issue(
            for: grant,
            client: client,
            scopes: scopes,
            authentications: authentications(of: grant),
            accessToken: accessToken,
            nonce: isFirst ? grant.nonce : nil,
            lifespan: idLifespan(of: client, isFirst: isFirst),
            at: now
        )
    }

    private func idLifespan(of client: OAuthClient, isFirst: Bool) -> Duration {
        let own = client.metadata.lifespans[isFirst ? .codeIDToken : .refreshIDToken]
        return min(own ?? Self.idLifespan, TokenSettings.longestLifespan)
    }

    private func authentications(of grant: Grant) -> [Authentication] {
        grant.login.authentications.latest(within: privilegedAge)
    }

    /// Issues an access token (RFC 9068), which isn't valid at the routes of accounts.
    private func accessToken(
        of grant: Grant,
        scopes: [String],
        lifespan: Duration,
        at now: Timestamp
    ) async throws -> Secret {
        let key = try await keys.signing(at: now)
        let authentications = authentications(of: grant)
        var payload = JSONWriter(reserving: 512)
        payload.object { payload in
            payload.name("iss")
            payload.string(issuer)
            payload.name("sub")
            payload.identifier(grant.identity)
            payload.name("aud")
            payload.array { payload in for audience in audience(of: scopes) { payload.string(audience) } }
            payload.name("exp")
            payload.integer(now.seconds + lifespan.components.seconds)
            payload.name("iat")
            payload.integer(now.seconds)
            payload.name("jti")
            payload.string(Base64URL.encode(random.bytes(16)))
            payload.name("client_id")
            payload.string(grant.client)
            payload.name("scope")
            payload.string(scopes.scopeText)
            payload.name(escaping: AccessTokenIssuer.grantClaim)
            payload.identifier(grant.id)
            payload.name("acr")
            payload.string(authentications.level.rawValue)
            payload.name("amr")
            payload.array { payload in
                for reference in authentications.references { payload.string(reference) }
            }
            payload.name("auth_time")
            payload.integer(grant.login.authenticatedAt.seconds)
            if let thumbprint = grant.keyThumbprint {
                payload.name("cnf")
                payload.object { payload in
                    payload.name("jkt")
                    payload.string(thumbprint)
                }
            }
        }
        return try key.sign(payload.bytes, type: AccessTokenIssuer.mediaType)
    }

    /// Returns the audience of an access token, which is never that of the tokens of sessions unless a scope
    /// of the operator names it.
    private func audience(of scopes: [String]) -> [String] {
        let audiences = self.scopes.audiences(of: scopes)
        let isForThisServer = scopes.contains(ScopeName.openID) || audiences.isEmpty
        return audiences + (isForThisServer && !audiences.contains(issuer) ? [issuer] : [])
    }
}

/// The response of the token endpoint to a client (RFC 6749, section 5.1).
struct GrantTokenBody: Sendable {
    let accessToken: Secret
    let type: AccessTokenType
    let expiresIn: Int64
    let refreshToken: Secret?
    let idToken: Secret?
    let scopes: [String]
    /// The steps that the user has to take, none of which blocks.
    var duties: [AccountDuty] = []

    /// The body as JSON.
    var json: [UInt8] {
        var writer = JSONWriter(reserving: 2048)
        writer.object { writer in
            writer.name("access_token")
            writer.string(accessToken.exposed)
            writer.name("token_type")
            writer.string(type.rawValue)
            writer.name("expires_in")
            writer.integer(expiresIn)
            if let refreshToken {
                writer.name("refresh_token")
                writer.string(refreshToken.exposed)
            }
            if let idToken {
                writer.name("id_token")
                writer.string(idToken.exposed)
            }
            writer.name("scope")
            writer.string(scopes.scopeText)
            writer.duties(duties.map(\.kind.rawValue))
        }
        return writer.bytes
    }
}

extension PresentedProof {
    /// The JWK thumbprint of the proof's key in base64url.
    var thumbprintText: String { Base64URL.encode(key.jwkThumbprint) }
}
