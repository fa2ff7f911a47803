import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The claims of the access token of a grant.
struct GrantClaims: Sendable {
    let grant: Identifier
    let client: String
    /// The id of the token (`jti`).
    let id: String
    let scopes: [String]
    let isForThisServer: Bool
    /// The JWK thumbprint of the key that must sign a proof for each request.
    let keyThumbprint: String?
    let expiresAt: Timestamp

    /// Reads the payload of a token whose signature has been verified.
    ///
    /// Returns `nil` if it isn't the token of a grant, or is bound to a key in an unknown way.
    init?(_ claims: OrderedJSON, issuer: String) {
        guard
            claims["iss"] == .string(issuer),
            case .string(let grant)? = claims[AccessTokenIssuer.grantClaim], let grant = Identifier(grant),
            case .string(let client)? = claims["client_id"], case .string(let id)? = claims["jti"],
            case .string(let scope)? = claims["scope"], case .integer(let end)? = claims["exp"],
            case .array(let audience)? = claims["aud"]
        else { return nil }
        self.grant = grant
        self.client = client
        self.id = id
        scopes = [String](scopes: scope)
        isForThisServer = audience.contains(.string(issuer))
        expiresAt = Timestamp(seconds: end)
        if let confirmation = claims["cnf"] {
            guard case .string(let thumbprint)? = confirmation["jkt"] else { return nil }
            keyThumbprint = thumbprint
        } else {
            keyThumbprint = nil
        }
    }
}

/// Verifies the access tokens of grants, and remembers those that it has verified.
///
/// Verifying a signature costs more than anything else that a request for the user's claims needs.
final class GrantTokenReader: Sendable {
    /// The maximum number of remembered tokens.
    static let mostEntries = 4096

    private let issuer: String
    private let keys: SigningKeyRing
    /// The claims by the hash of the token.
    private let verified = Locked<[[UInt8]: GrantClaims]>([:])

    init(issuer: String, keys: SigningKeyRing) {
        (self.issuer, self.keys) = (issuer, keys)
    }

    /// Returns the claims of a token, or `nil` if we haven't issued it for a grant, or if it has expired.
    func claims(of token: Secret, at now: Timestamp) async throws -> GrantClaims? {
        let hash = SHA256.hash(Array(token.exposed.utf8))
        if let known = verified.withLock({ $0[hash] }) { return known.expiresAt > now ? known : nil }
        guard
            let payload = try await keys.verified(
                token,
                type: AccessTokenIssuer.mediaType,
                algorithm: .es256,
                at: now
            ),
            let claims = GrantClaims(payload, issuer: issuer), claims.expiresAt > now
        else { return nil }
        verified.withLock { verified in
            if verified.count >= Self.mostEntries {
                verified = verified.filter { $0.value.expiresAt > now }
                if verified.count >= Self.mostEntries { verified.removeAll(keepingCapacity: true) }
            }
            verified[hash] = claims
        }
        return claims
    }
}
