import LatchkeyAccounts
import LatchkeyCrypto
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Issues and verifies access tokens, which are JWTs (RFC 9068) signed with ES256.
///
/// The tokens are not stored. They are bearer tokens, unless the client asks for tokens that are bound to its
/// key (RFC 9449). This server rejects them as soon as their session has ended, but an API that only verifies
/// the signature accepts them until they expire.
package struct AccessTokenIssuer: Sendable {
    /// An access token and the time until it expires.
    struct Issued: Sendable {
        /// The JWT in compact serialization.
        let token: Secret
        /// The time from issuance until the time in the `exp` claim, in whole seconds, for `expires_in`; zero
        /// if the session ends within the current second.
        let lifespan: Duration
    }

    /// The claims of a token that this server has issued.
    struct Claims: Sendable {
        /// The id of the session for which the token was issued; the session may have ended.
        let session: Identifier

        /// The thumbprint of the key that must sign a proof for each request (`cnf.jkt`), in base64url; `nil`
        /// for a bearer token.
        let keyThumbprint: String?
    }

    /// The `typ` of the header (RFC 9068, section 2.1), which is compared ignoring case.
    private static let mediaType = "at+jwt"

    private let settings: TokenSettings
    private let issuer: String
    private let keys: SigningKeyRing
    private let random: any RandomSource

    /// Creates the issuer.
    ///
    /// - Parameters:
    ///   - settings: The audience, the client id and the lifespan of the tokens.
    ///   - issuer: The URL of the server, which is the `iss` claim.
    ///   - keys: The signing keys.
    ///   - random: The random source for the `jti` claim.
    package init(
        settings: TokenSettings,
        issuer: String,
        keys: SigningKeyRing,
        random: any RandomSource
    ) {
        self.settings = settings
        self.issuer = issuer
        self.keys = keys
        self.random = random
    }

    /// The `aud` claim: the configured audience, or the issuer by default.
    var audience: String { settings.audience ?? issuer }

    /// Issues a token for a session; the token expires no later than the session.
    ///
    /// In addition to the claims of RFC 9068, the token has the claims `schema`, which is the id of the
    /// identity schema, and `reclaimed_at`, which is the time at which the owner of one of the account's
    /// addresses took the account over; data from before that time does not belong to this user. The values
    /// of `amr` are defined in RFC 8176.
    ///
    /// The state of the session is not checked: the caller must have read the family and determined that its
    /// tokens can be used.
    ///
    /// - Parameters:
    ///   - family: The family whose session and login the claims describe.
    ///   - keyThumbprint: The JWK thumbprint (RFC 7638) of the key that the token is bound to, for the claim `cnf` (RFC
    ///     7800); `nil` for a bearer token.
    ///   - now: The time for the `iat` claim; in all claims, fractions of a second are truncated.
    /// - Returns: The token and the time until it expires.
    /// - Throws: ``CryptoError`` if no signing key is available or if signing fails; ``DatabaseError`` if the
    ///   keys must be read and the database is not available.
    func issue(
        for family: TokenFamily,
        boundTo keyThumbprint: [UInt8]?,
        at now: Timestamp
    ) async throws -> Issued {
        let key = try await keys.signing(at: now)
        let end = min(now + settings.accessLifespan, family.expiresAt)
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
            payload.name("sid")
            payload.identifier(family.session)
            payload.name("schema")
            payload.string(family.login.schemaID)
            payload.name("acr")
            payload.string(AssuranceLevel.aal1.rawValue)
            payload.name("amr")
            payload.array { $0.string(family.login.method == .password ? "pwd" : "otp") }
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
            token: try CompactJWS.sign(payload.bytes, header: key.header, with: key.key),
            lifespan: .seconds(max(0, end.seconds - now.seconds))
        )
    }

    /// Returns the claims of an access token that this server has issued.
    ///
    /// The caller must demand a proof for a token that is bound to a key; see ``AccessTokenVerifier``.
    ///
    /// The type, algorithm, signature, issuer, audience, client and expiry are verified. A token with a
    /// `crit` header is rejected, because no extensions are supported (RFC 7515, section 4.1.11). The session
    /// itself is not read.
    ///
    /// - Parameters:
    ///   - token: The token in a request.
    ///   - now: The current time.
    /// - Returns: The claims; `nil` if the token has expired, if this server did not issue it for its client
    ///   and audience, or if it is bound to a key in a way that this version does not know.
    /// - Throws: The errors of ``SigningKeyRing/verifying(_:at:)``.
    func claims(of token: Secret, at now: Timestamp) async throws -> Claims? {
        guard
            let jws = CompactJWS(token.exposed),
            let header = try? JSONParser.parse(jws.header),
            case .string(let type)? = header["typ"], type.equalsIgnoringASCIICase(Self.mediaType),
            header["alg"] == .string("ES256"), header["crit"] == nil,
            case .string(let keyID)? = header["kid"],
            let key = try await keys.verifying(keyID, at: now), jws.isSigned(by: key),
            let claims = try? JSONParser.parse(jws.payload),
            claims["iss"] == .string(issuer), claims["aud"] == .string(audience),
            claims["client_id"] == .string(settings.clientID),
            case .integer(let end)? = claims["exp"], now < Timestamp(seconds: end),
            case .string(let text)? = claims["sid"], let session = Identifier(text)
        else { return nil }
        guard let confirmation = claims["cnf"] else { return Claims(session: session, keyThumbprint: nil) }
        guard case .string(let keyThumbprint)? = confirmation["jkt"] else { return nil }
        return Claims(session: session, keyThumbprint: keyThumbprint)
    }

    /// Returns the JWS header for the tokens that a key signs.
    ///
    /// The header is the same for all tokens of a key, so the key ring computes it once.
    ///
    /// - Parameters:
    ///   - type: The media type; that of access tokens by default.
    ///   - keyID: The `kid`, which is the JWK thumbprint (RFC 7638) in base64url.
    /// - Returns: The header as JSON, with the members `typ`, `alg` and `kid`.
    static func header(type: String = mediaType, keyID: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 128)
        writer.object { writer in
            writer.name("typ")
            writer.string(type)
            writer.name("alg")
            writer.string("ES256")
            writer.name("kid")
            writer.string(keyID)
        }
        return writer.bytes
    }
}
