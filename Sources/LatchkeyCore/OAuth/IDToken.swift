import LatchkeyModel
import LatchkeyWire

/// A signed statement of a provider about a login (OpenID Connect Core 1.0, section 2).
struct IDToken: Sendable {
    /// The signature algorithms that are accepted.
    private static let algorithms: Set<String> = ["ES256", "RS256"]

    /// The largest token, in bytes.
    private static let byteLimit = 65_536

    /// The id of the key, or `nil` if the header doesn't name one.
    let keyID: String?
    /// The algorithm, which must be the one of the key.
    let algorithm: String
    let claims: JSONValue

    private let signedBytes: [UInt8]
    private let signature: [UInt8]

    /// Parses a token without checking its signature.
    ///
    /// Returns `nil` if the token isn't a JSON Web Signature with an accepted algorithm (RFC 7515, section 3.1), or
    /// if it needs an extension (`crit`).
    init?(_ token: Secret) {
        let text = token.exposed
        guard text.utf8.count <= Self.byteLimit else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(String(parts[0])),
            let body = Base64URL.decode(String(parts[1])),
            let signature = Base64URL.decode(String(parts[2])), !signature.isEmpty,
            let header = try? JSONCoding.decode(JSONValue.self, from: head), header["crit"] == nil,
            let algorithm = header["alg"]?.text, Self.algorithms.contains(algorithm),
            let claims = try? JSONCoding.decode(JSONValue.self, from: body), claims.object != nil
        else { return nil }
        (self.algorithm, self.claims, self.signature) = (algorithm, claims, signature)
        keyID = header["kid"]?.text
        signedBytes = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    }

    /// Returns whether one of the provider's keys has signed the token.
    func isSigned(by keys: [ProviderKey], verifier: any SignatureVerifier) -> Bool {
        keys.contains { key in
            (keyID == nil || key.id == keyID) && key.algorithm == algorithm
                && verifier.isValid(signature, for: signedBytes, by: key.key)
        }
    }
}

/// A public key of a provider.
struct ProviderKey: Hashable, Sendable {
    /// The most keys of a set that are used.
    private static let countLimit = 32

    let id: String?
    let key: SignatureKey

    /// The name of the algorithm that the key is used with.
    var algorithm: String {
        switch key {
        case .es256: "ES256"
        case .rs256: "RS256"
        }
    }

    /// Decodes the usable keys of a JSON Web Key Set (RFC 7517).
    ///
    /// Returns `nil` if the value isn't a set of keys.
    static func keys(decoding json: JSONValue) -> [ProviderKey]? {
        guard let keys = json["keys"]?.array else { return nil }
        let usable = keys.lazy.compactMap { jwk in
            SignatureKey(jwk: jwk).map { ProviderKey(id: jwk["kid"]?.text, key: $0) }
        }
        return Array(usable.prefix(countLimit))
    }
}
