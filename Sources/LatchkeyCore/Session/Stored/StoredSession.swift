package import LatchkeyModel

/// Everything that the device stores about a login.
package struct StoredSession: Hashable, Sendable {
    /// The identifier of the login, which never changes.
    package let login: LoginID

    /// The part of the session that the app can see.
    package var session: UserSession

    /// The login's tokens.
    package var credential: StoredCredential

    /// The stored form of the device key, which the key provider has created.
    package var key: StoredKey
    /// The certificate that binds the key to the account, or `nil` if the server didn't issue one.
    package var certificate: DeviceCertificate?

    /// Whether the login requires a certificate.
    package var requiresCertificate: Bool

    /// Creates the stored data for a login.
    ///
    /// - Parameters:
    ///   - login: The identifier of the login.
    ///   - session: The part of the session that the app can see.
    ///   - credential: The login's tokens.
    ///   - key: The device key in its stored form.
    ///   - certificate: The certificate for the key, if there is one.
    ///   - requiresCertificate: Whether the login requires a certificate.
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
    /// The session token, or `nil` if the user logged in with an OAuth grant.
    package var sessionToken: Secret? { credential.sessionToken }

    /// The access and refresh tokens, or `nil` if there are none.
    package var pair: TokenPair? { credential.pair }

    /// Whether the login is complete.
    ///
    /// A login that requires a certificate is only complete if it has one.
    package var isComplete: Bool { certificate != nil || !requiresCertificate }

    /// Returns whether another session belongs to the same login.
    func isSameLogin(as other: StoredSession) -> Bool {
        login == other.login
    }

    /// Returns whether two sessions are equal apart from their tokens.
    func isSameBesideCredential(as other: StoredSession) -> Bool {
        var stored = self
        stored.credential = other.credential
        return stored == other
    }
}
