import LatchkeyModel

/// The values of a request that redeems an authorization code (RFC 6749, section 4.1.3).
struct Redemption: Sendable {
    let code: AuthorizationCode
    /// The id of the client, which has been authenticated.
    let client: String
    let redirectURI: String
    /// The challenge of the verifier, or `nil` if the request has none.
    let challenge: CodeChallenge?
    /// The JWK thumbprint of the key that signed the proof, or `nil` if there is no proof.
    let keyThumbprint: String?
    /// How long a grant with refresh tokens lasts without being used.
    let offlineLifespan: Duration
    /// How long a grant without refresh tokens lasts.
    let accessLifespan: Duration
}
