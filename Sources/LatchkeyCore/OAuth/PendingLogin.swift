import LatchkeyModel
import LatchkeyWire

/// A login in a browser that isn't completed yet.
///
/// It is stored before each request that can't be repeated, because the app can be ended at any moment.
struct PendingLogin: Hashable, Sendable {
    /// How far a login has come.
    enum Progress: Hashable, Sendable {
        /// The user is in the browser.
        case waiting
        /// The provider has answered with a code, which is redeemed with the key.
        case answered(code: Secret, key: StoredKey)
        /// The code is redeemed.
        case granted(OAuthGrant, key: StoredKey)
        /// The identity server has opened a session for the user of the ID token.
        case opened(token: Secret, subject: String, key: StoredKey)
    }

    /// The time that the user has in the browser.
    static let lifespan: Duration = .seconds(600)

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
    /// When the provider's answer is too late.
    let expiresAt: Timestamp
    /// Where the session is stored.
    let persistence: Persistence
    /// The login that the new one replaces, or `nil` if no user was logged in.
    let former: LoginID?
    var progress: Progress = .waiting

    /// The key for the new session, or `nil` as long as the user is in the browser.
    var key: StoredKey? {
        switch progress {
        case .waiting: nil
        case .answered(_, let key), .granted(_, let key), .opened(_, _, let key): key
        }
    }
}

/// The pending logins of an app, oldest first.
struct PendingLogins: Hashable, Sendable {
    /// The number of logins that can be pending at the same time.
    static let countLimit = 5

    private(set) var logins: [PendingLogin]

    /// Creates a list of at most ``countLimit`` logins.
    init(_ logins: [PendingLogin] = []) {
        self.logins = logins
    }

    subscript(state: Secret) -> PendingLogin? { logins.first { $0.state == state } }

    /// Adds a login, and forgets the oldest ones in the browser if there are too many.
    mutating func add(_ login: PendingLogin) {
        logins.append(login)
        while logins.count > Self.countLimit {
            logins.remove(at: logins.firstIndex { $0.progress == .waiting } ?? 0)
        }
    }

    /// Notes how far a login has come.
    ///
    /// - Returns: The login, or `nil` if there is none with this state.
    @discardableResult
    mutating func advance(_ state: Secret, to progress: PendingLogin.Progress) -> PendingLogin? {
        guard let index = logins.firstIndex(where: { $0.state == state }) else { return nil }
        logins[index].progress = progress
        return logins[index]
    }

    /// Removes and returns the login with a state.
    @discardableResult
    mutating func take(_ state: Secret) -> PendingLogin? {
        guard let index = logins.firstIndex(where: { $0.state == state }) else { return nil }
        return logins.remove(at: index)
    }
}
