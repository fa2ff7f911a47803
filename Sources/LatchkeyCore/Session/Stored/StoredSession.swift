package import LatchkeyModel

/// The data of a login that the device stores.
package struct StoredSession: Hashable, Sendable {
    /// The identifier of the login, which never changes.
    package let login: LoginID

    /// The session as the app sees it.
    package var session: UserSession

    /// The tokens of the login.
    package var credential: StoredCredential

    /// The device's key in its stored form, as exported by its provider.
    package var key: StoredKey
    /// The certificate that binds the key to the account; `nil` if the server issued none.
    package var certificate: DeviceCertificate?

    /// Whether the login is incomplete without a certificate.
    package var requiresCertificate: Bool

    /// Creates the data of a login.
    ///
    /// - Parameters:
    ///   - login: The identifier of the login.
    ///   - session: The session as the app sees it.
    ///   - credential: The tokens of the login.
    ///   - key: The device's key in its stored form.
    ///   - certificate: The certificate for that key, or `nil`.
    ///   - requiresCertificate: Whether the login is incomplete without a certificate.
    package init(
        login: LoginID,
        session: UserSession,
        credential: StoredCredential,
        key: StoredKey,
        certificate: DeviceCertificate?,
        requiresCertificate: Bool
    ) {
        self.login = login
        self.session = session
        self.credential = credential
        self.key = key
        self.certificate = certificate
        self.requiresCertificate = requiresCertificate
    }
}

extension StoredSession {
    /// The session token, or `nil` for a login by an OAuth grant.
    package var sessionToken: Secret? { credential.sessionToken }

    /// The access token and refresh token, or `nil` if there are none.
    package var pair: TokenPair? { credential.pair }

    /// Whether the login has all its parts: a certificate, if one is required.
    package var isComplete: Bool { certificate != nil || !requiresCertificate }

    /// Returns whether another session belongs to the same login.
    func isSameLogin(as other: StoredSession) -> Bool {
        login == other.login
    }

    /// Returns whether another session differs from this one at most in its tokens.
    func isSameBesideCredential(as other: StoredSession) -> Bool {
        var stored = self
        stored.credential = other.credential
        return stored == other
    }
}
