package import LatchkeyModel

/// The data of a login that the device stores.
package struct StoredSession: Hashable, Sendable {
    /// The session as the app sees it.
    package var session: UserSession

    /// The session token, which authenticates the device to the identity server.
    package var token: Secret

    /// The device's key in its stored form, as exported by its provider.
    package var key: StoredKey
    /// The certificate that binds the key to the account.
    package var certificate: DeviceCertificate

    /// The tokens that the session token was exchanged for, if the app's requests use access tokens.
    package var pair: TokenPair?

    /// Creates the data of a login; without a pair, requests are sent with the session token.
    ///
    /// - Parameters:
    ///   - session: The session as the app sees it.
    ///   - token: The session token.
    ///   - key: The device's key in its stored form.
    ///   - certificate: The certificate for that key.
    ///   - pair: The tokens for the app's requests; `nil` if the requests use the session token.
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
    /// Returns whether another session belongs to the same login, that is, has the same token and key.
    func isSameLogin(as other: StoredSession) -> Bool {
        token == other.token && key == other.key
    }

    /// Returns whether another session differs from this one at most in its token pair.
    func isSameBesidePair(as other: StoredSession) -> Bool {
        var stored = self
        stored.pair = other.pair
        return stored == other
    }
}
