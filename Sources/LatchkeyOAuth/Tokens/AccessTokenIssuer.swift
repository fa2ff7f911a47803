import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Issues and verifies access tokens.
///
/// Access tokens are JWTs (RFC 9068) that are signed with ES256 and not stored. By default, we issue bearer
/// tokens, but clients can ask for tokens that are bound to their key (RFC 9449). This server rejects a token
/// as soon as its session has ended. An API that only verifies the signature accepts the token until it
/// expires.
struct AccessTokenIssuer: Sendable {
    /// An access token and its lifespan.
    struct Issued: Sendable {
        /// The JWT in compact serialization.
        let token: Secret
        /// The time until the token expires, in whole seconds, for `expires_in`.
        ///
        /// The lifespan is zero if the session ends within the current second.
        let lifespan: Duration
    }

    /// The claims of an access token that was issued by this server.
    struct Claims: Sendable {
        /// The id of the session that the token was issued for.
        ///
        /// The session may have ended.
        let session: Identifier

        /// Whether this server is one of the token's audiences.
        let isForThisServer: Bool

        /// The token's scopes for this server's routes.
        let scopes: Set<AccessScope>

        /// The thumbprint of the key that must sign a proof for each request (`cnf.jkt`), in base64url.
        ///
        /// This is `nil` for a bearer token.
        let keyThumbprint: String?

        /// When the token expires (`exp`).
        let expiresAt: Timestamp
    }

    /// The `typ` in the header (RFC 9068, section 2.1).
    ///
    /// The media type isn't case-sensitive.
    static let mediaType = "at+jwt"
    /// The claim with the id of the grant, which only the tokens of OAuth clients have.
    static let grantClaim = "grant"

    private let settings: TokenSettings
    private let issuer: String
    private let keys: SigningKeyRing
    private let privilegedAge: Duration
    private let random: any RandomSource

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - settings: Specifies the audience, the client id and the lifespan of the tokens.
    ///   - issuer: The server's URL, which is used for the `iss` claim.
    ///   - keys: The signing keys.
    ///   - privilegedAge: The age at which an earlier authentication no longer belongs to the latest one.
    ///   - random: The random source for the `jti` claim.
    init(
        settings: TokenSettings,
        issuer: String,
        keys: SigningKeyRing,
        privilegedAge: Duration,
        random: any RandomSource
    ) {
        self.settings = settings
        self.issuer = issuer
        self.keys = keys
        self.privilegedAge = privilegedAge
        self.random = random
    }

    /// The `aud` claim.
    ///
    /// This is the configured audience or, if there is none, the issuer.
    var audience: String { settings.audience ?? issuer }

    /// Issues a token for a session.
    ///
    /// If this server is the audience, the token has all scopes of ``AccessScope``. A token for another
    /// audience has no scope, because APIs that receive it must not be able to use it at this server.
    ///
    /// The token doesn't outlive the session. In addition to the claims in RFC 9068, the token has the claims
    /// `schema` and `reclaimed_at`. `schema` is the id of the identity schema. `reclaimed_at` is the time
    /// when the owner of one of the account's addresses took over the account. Data that is older than
    /// the takeover belongs to the previous user. The values of `amr` are defined in RFC 8176.
    ///
    /// This method doesn't check whether the session is active. The caller must have read the family and made
    /// sure that its tokens can be used.
    ///
    /// - Parameters:
    ///   - family: The family that the token is issued for. The claims describe the family's session and
    ///     login.
    ///   - keyThumbprint: The JWK thumbprint (RFC 7638) of the key that the token is bound to, for the `cnf`
    ///     claim (RFC 7800), or `nil` for a bearer token.
    ///   - now: The current time, for the `iat` claim. Fractions of a second are truncated in all claims.
    /// - Returns: The token and its lifespan.
    /// - Throws: ``CryptoError`` if no signing key is available or if signing fails, or ``DatabaseError`` if
    ///   the keys must be read and the database is unavailable.
    func issue(
        for family: TokenFamily,
        boundTo keyThumbprint: [UInt8]?,
        at now: Timestamp
    ) async throws -> Issued {
        let key = try await keys.signing(at: now)
        let end = min(now + settings.accessLifespan, family.expiresAt)
        let authentications = family.login.authentications.latest(within: privilegedAge)
        var payload = JSONWriter(reserving: 512)
        payload.object { payload in
            payload.name("iss")
            payload.string(issuer)
            payload.name("sub")
            payload.identifier(family.identity)
            payload.name("aud")
            payload.string(audience)
            payload.name("exp")
            payload.integer(end.seconds)
            payload.name("iat")
            payload.integer(now.seconds)
            payload.name("jti")
            payload.string(Base64URL.encode(random.bytes(16)))
            payload.name("client_id")
            payload.string(settings.clientID)
            if audience == issuer {
                payload.name("scope")
                payload.string(AccessScope.all)
            }
            payload.name("sid")
            payload.identifier(family.session)
            payload.name("schema")
            payload.string(family.login.schemaID)
            payload.name("acr")
            payload.string(authentications.level.rawValue)
            payload.name("amr")
            payload.array { payload in
                for reference in authentications.references { payload.string(reference) }
            }
            payload.name("auth_time")
            payload.integer(family.login.authenticatedAt.seconds)
            if let reclaimedAt = family.login.reclaimedAt {
                payload.name("reclaimed_at")
                payload.integer(reclaimedAt.seconds)
            }
            if let keyThumbprint {
                payload.name("cnf")
                payload.object { payload in
                    payload.name("jkt")
                    payload.string(Base64URL.encode(keyThumbprint))
                }
            }
        }
        return Issued(
            token: try key.sign(payload.bytes, type: Self.mediaType),
            lifespan: .seconds(max(0, end.seconds - now.seconds))
        )
    }

    /// Returns the claims of an access token that was issued by this server.
    ///
    /// If the token is bound to a key, the caller must require a proof; see ``AccessTokenVerifier``.
    ///
    /// This method verifies the type, algorithm, signature, issuer, audience, client and expiry. It doesn't
    /// check whether the session is still active.
    ///
    /// - Parameters:
    ///   - token: The token that the client sent.
    ///   - now: The current time.
    /// - Returns: The claims, or `nil` if the token has expired, if it wasn't issued by this server for its
    ///   client and audience, or if it is bound to a key in a way that this version doesn't support.
    /// - Throws: Any error thrown by ``SigningKeyRing/verified(_:type:algorithm:at:)``.
    func claims(of token: Secret, at now: Timestamp) async throws -> Claims? {
        guard
            let claims = try await keys.verified(token, type: Self.mediaType, algorithm: .es256, at: now),
            claims["iss"] == .string(issuer), claims["aud"] == .string(audience),
            claims["client_id"] == .string(settings.clientID),
            case .integer(let end)? = claims["exp"], now < Timestamp(seconds: end),
            case .string(let text)? = claims["sid"], let session = Identifier(text),
            claims[Self.grantClaim] == nil
        else { return nil }
        var scopes: Set<AccessScope> = []
        if case .string(let text)? = claims["scope"] { scopes = AccessScope.scopes(in: text) }
        var keyThumbprint: String?
        if let confirmation = claims["cnf"] {
            guard case .string(let thumbprint)? = confirmation["jkt"] else { return nil }
            keyThumbprint = thumbprint
        }
        return Claims(
            session: session,
            isForThisServer: claims["aud"] == .string(issuer),
            scopes: scopes,
            keyThumbprint: keyThumbprint,
            expiresAt: Timestamp(seconds: end)
        )
    }
}
