import LatchkeyModel
import LatchkeyWire

/// A login in a browser that waits for the provider's answer.
///
/// It is stored, because the app can be ended while the user is in the browser.
struct PendingLogin: Hashable, Sendable {
    /// The value that the answer repeats (RFC 6749, section 10.12).
    let state: Secret
    let verifier: CodeVerifier
    /// The value that the ID token repeats.
    let nonce: Secret
    let redirectURI: String
    /// The provider that was asked.
    let issuer: String
    let scopes: Set<String>
    /// The longest time since the user has authenticated, in seconds, or `nil` if the app doesn't ask for one.
    let maxAge: Int?
    let expiresAt: Timestamp
}

/// The pending logins of an app, oldest first.
///
/// The format is a JSON array. Dates are in RFC 3339 format.
struct PendingLogins: Hashable, Sendable {
    /// The number of logins that can wait at the same time.
    static let countLimit = 5

    private(set) var logins: [PendingLogin] = []

    /// Adds a login, and forgets the oldest ones if there are too many.
    mutating func add(_ login: PendingLogin) {
        logins = Array((logins + [login]).suffix(Self.countLimit))
    }

    /// Removes and returns the login with a state.
    mutating func take(_ state: Secret) -> PendingLogin? {
        guard let index = logins.firstIndex(where: { $0.state == state }) else { return nil }
        return logins.remove(at: index)
    }
}

extension PendingLogins {
    /// Decodes the logins that haven't expired.
    ///
    /// Logins that can't be read are left out, because they can't be continued.
    init(decoding bytes: [UInt8]?, at now: Timestamp) {
        guard let bytes, let array = try? JSONCoding.decode([JSONValue].self, from: bytes) else { return }
        logins = array.suffix(Self.countLimit).compactMap { PendingLogin(decoding: $0) }
            .filter { $0.expiresAt > now }
    }

    /// The encoded logins, or `nil` if there are none.
    var encoded: [UInt8]? {
        logins.isEmpty ? nil : try? JSONCoding.encode(JSONValue.array(logins.map(\.json)))
    }
}

extension PendingLogin {
    fileprivate init?(decoding json: JSONValue) {
        guard let state = json["state"]?.text, let verifier = json["verifier"]?.text,
            let nonce = json["nonce"]?.text, let redirectURI = json["redirectURI"]?.text,
            let issuer = json["issuer"]?.text, let scopes = json["scopes"]?.array,
            let expiry = json["expiresAt"]?.text.flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        self.init(
            state: Secret(state),
            verifier: CodeVerifier(stored: verifier),
            nonce: Secret(nonce),
            redirectURI: redirectURI,
            issuer: issuer,
            scopes: Set(scopes.compactMap(\.text)),
            maxAge: json["maxAge"]?.integer,
            expiresAt: expiry
        )
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "state": .string(state.exposed), "verifier": .string(verifier.secret.exposed),
            "nonce": .string(nonce.exposed), "redirectURI": .string(redirectURI),
            "issuer": .string(issuer), "scopes": .array(scopes.sorted().map { .string($0) }),
            "expiresAt": .string(expiresAt.description),
        ]
        if let maxAge { members["maxAge"] = .integer(Int64(maxAge)) }
        return .object(members)
    }
}
