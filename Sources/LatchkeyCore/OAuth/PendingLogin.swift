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
        /// The provider has answered with a code.
        case answered(code: Secret)
        /// The code is redeemed.
        case granted(OAuthGrant)
        /// The identity server has opened a session for the user of the ID token.
        case opened(token: Secret, subject: String)
        /// The user has refused, or the login couldn't be completed by a process that didn't wait for it.
        ///
        /// The process that waits for the login removes it.
        case failed(isRefused: Bool)

        /// Whether the provider has answered, and the login may have left a session or a grant there.
        var isInterrupted: Bool {
            switch self {
            case .waiting, .failed: false
            case .answered, .granted, .opened: true
            }
        }
    }

    /// The time that the user has in the browser.
    static let lifespan: Duration = .seconds(600)

    /// The value that the answer repeats (RFC 6749, section 10.12).
    let state: Secret
    let verifier: CodeVerifier
    /// The key for the new session, to which the code and the tokens are bound if the provider supports it.
    let key: StoredKey
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

    /// Returns whether a response answers this login: it has its state and redirect URI, and names its provider.
    ///
    /// The code of a login that was begun at another provider, before the app was updated, isn't sent to this one. A
    /// provider that announces it names itself in every response, so that the response of another one to which the
    /// user was led can't be mistaken for its (RFC 9207, section 2.4).
    func isAnswered(by response: AuthorizationResponse, from provider: ProviderMetadata) -> Bool {
        response.state == state && response.redirectURI == redirectURI
            && issuer.hasSameBytes(as: provider.issuer)
            && response.issuer.map { $0.hasSameBytes(as: issuer) } ?? !provider.namesItself
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
            logins.remove(at: logins.firstIndex { !$0.progress.isInterrupted } ?? 0)
        }
    }

    /// Removes the logins that wait for an answer at a redirect URI.
    mutating func removeWaiting(at redirectURI: String) {
        logins.removeAll { $0.progress == .waiting && $0.redirectURI == redirectURI }
    }

    /// Removes the logins for which the provider's answer would be too late.
    ///
    /// A login that was interrupted doesn't expire, because something may have to be revoked.
    mutating func removeExpired(at now: Timestamp) {
        logins.removeAll { !$0.progress.isInterrupted && $0.expiresAt <= now }
    }

    /// Notes that a login has failed, if a process may wait for it.
    mutating func fail(_ login: PendingLogin, isRefused: Bool) {
        take(login.state)
        var failed = login
        failed.progress = .failed(isRefused: isRefused)
        add(failed)
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
