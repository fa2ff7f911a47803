import LatchkeyModel
import LatchkeyWire

/// Decides whether an ID token belongs to a login (OpenID Connect Core 1.0, section 3.1.3.7).
///
/// The signature has been verified before.
struct IDTokenCheck: Sendable {
    /// The claims that the token must have.
    let issuer: String
    let client: String
    let nonce: Secret
    /// The longest time since the user has authenticated, in seconds, or `nil` if the app doesn't ask for one.
    let maxAge: Int?
    let now: Timestamp

    /// The difference between the clocks of the device and the provider that is tolerated.
    static let tolerance: Duration = .seconds(60)

    /// A reason to reject a token.
    enum Failure: String, Error, Hashable, Sendable {
        case issuer, audience, authorizedParty, subject, expired, issuedInFuture, nonce, accessToken
        case authenticationTime
    }

    /// Checks the claims of a token.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - accessToken: The access token of the same response, whose hash the token may contain.
    /// - Returns: The id of the user at the provider (`sub`).
    /// - Throws: The first ``Failure``.
    func subject(of claims: JSONValue, accessToken: Secret?) throws(Failure) -> String {
        guard let found = claims["iss"]?.text, found.hasSameBytes(as: issuer) else { throw .issuer }
        let audiences = claims["aud"]?.text.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.text) ?? []
        guard audiences.contains(client) else { throw .audience }
        guard claims["azp"].map({ $0.text == client }) ?? (audiences.count == 1) else {
            throw .authorizedParty
        }
        guard let subject = claims["sub"]?.text, (1...255).contains(subject.utf8.count) else {
            throw .subject
        }
        guard let expiry = Self.time(claims["exp"]), expiry + Self.tolerance > now else { throw .expired }
        guard let issuedAt = Self.time(claims["iat"]), issuedAt <= now + Self.tolerance else {
            throw .issuedInFuture
        }
        guard claims["nonce"]?.text.map({ Secret($0) }) == nonce else { throw .nonce }
        if let hash = claims["at_hash"] {
            guard let accessToken, hash.text == Self.hash(of: accessToken) else { throw .accessToken }
        }
        if let maxAge {
            guard let time = Self.time(claims["auth_time"]),
                time + .seconds(maxAge) + Self.tolerance > now
            else { throw .authenticationTime }
        }
        return subject
    }

    /// Returns the value of `at_hash` for an access token: the first half of its SHA-256 hash.
    private static func hash(of token: Secret) -> String {
        Base64URL.encode(Array(SHA256Hash.hash(Array(token.exposed.utf8)).prefix(16)))
    }

    /// Returns the time of a claim, which counts seconds and may have a fraction (RFC 7519, section 2).
    private static func time(_ claim: JSONValue?) -> Timestamp? {
        guard let seconds = claim?.number, (0...253_402_300_799).contains(seconds) else { return nil }
        return Timestamp(seconds: Int64(seconds))
    }
}
