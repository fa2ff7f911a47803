import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Reads the ID token that a client sends as a hint (OpenID Connect Core, section 3.1.2.1).
struct IDTokenHints: Sendable {
    private let issuer: String
    private let keys: SigningKeyRing

    init(issuer: String, keys: SigningKeyRing) {
        (self.issuer, self.keys) = (issuer, keys)
    }

    /// Returns the account that a hint is about, or `nil` if there is no hint.
    ///
    /// A hint that has expired is accepted, because it only says which account the client expects.
    ///
    /// - Throws: ``AuthorizationError`` if we haven't issued the token for the client.
    func subject(
        _ hint: String?,
        for client: OAuthClient,
        at now: Timestamp
    ) async throws -> Identifier? {
        guard let hint else { return nil }
        guard
            let claims = try await keys.verified(Secret(hint), type: IDTokenIssuer.mediaType, at: now),
            claims["iss"] == .string(issuer), claims["aud"] == .string(client.id),
            case .string(let subject)? = claims["sub"], let identity = Identifier(subject)
        else {
            throw AuthorizationError(
                .invalidRequest,
                reason: "The id_token_hint is not an ID token of this server for this client."
            )
        }
        return identity
    }
}
