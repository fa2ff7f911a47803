import LatchkeyModel

/// The steps that all logins have in common: creating a device key, obtaining its certificate, and storing
/// the session.
struct LoginCompletion: Sendable {
    private let keeper: SessionKeeper
    private let enrolment: Enrolment
    private let signer: DeviceSigner
    private let time: any TimeSource
    private let random: any RandomSource

    init(
        keeper: SessionKeeper,
        enrolment: Enrolment,
        signer: DeviceSigner,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.random = random
        self.keeper = keeper
        self.enrolment = enrolment
        self.signer = signer
        self.time = time
    }

    /// Runs a login with a new device key, and removes the key if the login fails.
    ///
    /// - Parameter logIn: The login, from the request with the password to storing the session.
    /// - Returns: The login's result.
    /// - Throws: The login's error, or ``LatchkeyError/Code/deviceKeyFailed`` if no key can be created; the
    ///   login is not run then.
    func withNewKey<Value>(
        _ logIn: (PendingKey) async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let key = PendingKey(try await signer.createKey(), signer: signer, time: time)
        do throws(LatchkeyError) {
            return try await logIn(key)
        } catch {
            signer.removeKey(key.stored)
            throw error
        }
    }

    /// Obtains the device certificate for an accepted login, if it needs one, and stores the session.
    ///
    /// - Parameters:
    ///   - authentication: The login that the server accepted.
    ///   - key: The key that signed the login request's proof.
    ///   - schema: The only schema whose accounts are allowed to log in, or `nil` for all.
    ///   - attempt: The login attempt, which a sign-out or a newer attempt may have ended.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyError``; in this case, no session is stored, and the server's session is revoked if
    ///   the client revokes sessions.
    func complete(
        _ authentication: Authentication,
        key: PendingKey,
        onlyAs schema: String?,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> UserSession {
        do throws(LatchkeyError) {
            return try await store(authentication, key: key, onlyAs: schema, attempt: attempt)
        } catch {
            keeper.discard(.sessionToken(authentication.token))
            throw error
        }
    }

    private func store(
        _ authentication: Authentication,
        key: PendingKey,
        onlyAs schema: String?,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> UserSession {
        let actual = authentication.session.identity.schema
        if let schema, !actual.isEmpty, actual != schema {
            throw LatchkeyError(
                .accountOfAnotherKind,
                message:
                    "The account has the identity schema \"\(actual)\", but this login accepts accounts with \"\(schema)\" only."
            )
        }
        let issued = try await enrolment.enrol(key, for: authentication)
        var session = authentication.session
        // The login response contains the expiry that applies before the certificate is issued.
        if let expiry = issued?.sessionExpiresAt { session.expiresAt = expiry }
        let stored = StoredSession(
            login: LoginID(random: random),
            session: session,
            credential: .sessionToken(authentication.token),
            key: key.stored,
            certificate: issued?.certificate,
            requiresCertificate: issued != nil
        )
        guard !Task.isCancelled else { throw .cancelled }
        try await keeper.commit(stored, of: attempt)
        return stored.session
    }
}
