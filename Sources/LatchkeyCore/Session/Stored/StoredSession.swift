package import LatchkeyModel

/// The data of a login that the device stores.
package struct StoredSession: Hashable, Sendable {
    /// The session as the app sees it.
    package var session: UserSession

    /// The session's own token, which authenticates the device at the identity server.
    package var token: Secret

    /// The device's key, as its provider exported it for the store.
    package var key: StoredKey
    /// The certificate that binds the key to the account.
    package var certificate: DeviceCertificate

    /// The tokens that the session's token was exchanged for, if the app's requests use access tokens.
    package var pair: TokenPair?

    /// Creates the data of a login; without a pair, requests are sent with the session's token.
    ///
    /// - Parameters:
    ///   - session: The session as the app sees it.
    ///   - token: The session's own token.
    ///   - key: The device's key, as its provider exported it.
    ///   - certificate: The certificate for that key.
    ///   - pair: The tokens for the app's requests; `nil` if they use the session's token.
    package init(
        session: UserSession,
        token: Secret,
        key: StoredKey,
        certificate: DeviceCertificate,
        pair: TokenPair? = nil
    ) {
        self.session = session
        self.token = token
        self.key = key
        self.certificate = certificate
        self.pair = pair
    }
}

extension StoredSession {
    /// Returns whether another form is of the same login, which means that token and key are the same.
    func isSameLogin(as other: StoredSession) -> Bool {
        token == other.token && key == other.key
    }

    /// Returns whether another form of the login has the same data apart from the token pair.
    func isSameBesidePair(as other: StoredSession) -> Bool {
        var stored = self
        stored.pair = other.pair
        return stored == other
    }
}
