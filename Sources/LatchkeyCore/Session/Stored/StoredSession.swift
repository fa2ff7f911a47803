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
