import LatchkeyModel

/// The steps that all logins have in common: creating a device key, obtaining its certificate, and storing
/// the session.
struct LoginCompletion: Sendable {
    private let keeper: SessionKeeper
    private let enrolment: Enrolment
    private let signer: DeviceSigner
    private let clock: ServerClock
    private let random: any RandomSource

    init(
        keeper: SessionKeeper,
        enrolment: Enrolment,
        signer: DeviceSigner,
        clock: ServerClock,
        random: any RandomSource
    ) {
        self.random = random
        self.keeper = keeper
        self.enrolment = enrolment
        self.signer = signer
        self.clock = clock
    }

    /// Obtains the device certificate for a login, if one is required, and stores the session.
    ///
    /// - Parameters:
    ///   - authentication: The login that the server accepted.
    ///   - key: The key that signed the proof for the login request.
    ///   - schema: The schema that the account must have, or `nil` to accept all accounts.
    ///   - attempt: The login attempt, which may already have been ended by a sign-out or a newer attempt.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyError``. If an error is thrown, no session is stored, and the session is revoked
    ///   on the server if the client is configured to do so.
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

    /// Stores a login with an OAuth grant.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - session: The part of the session that the app can see.
    ///   - key: The key of the login.
    ///   - attempt: The login attempt.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyError``. If an error is thrown, no session is stored.
    func complete(
        _ grant: OAuthGrant,
        session: UserSession,
        key: StoredKey,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> UserSession {
        let stored = StoredSession(
            login: LoginID(random: random),
            session: session,
            credential: .grant(grant),
            key: key,
            certificate: nil,
            requiresCertificate: false
        )
        guard !Task.isCancelled else { throw .cancelled }
        try await keeper.commit(stored, of: attempt)
        return session
    }

    /// Creates a key for a login that is stored before it is completed.
    func newKey() async throws(LatchkeyError) -> StoredKey {
        try await signer.createKey()
    }

    /// Returns the key of a stored login.
    func pendingKey(_ key: StoredKey) -> PendingKey {
        PendingKey(key, signer: signer, clock: clock)
    }

    /// Removes the key of a login that isn't completed.
    func removeKey(_ key: StoredKey) {
        signer.removeKey(key)
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
                .schemaMismatch,
                message:
                    "The account has the identity schema \"\(actual)\", but this login only accepts accounts with \"\(schema)\"."
            )
        }
        let issued = try await enrolment.enrol(key, for: authentication)
        var session = authentication.session
        // The expiry date in the login response only applies until the certificate is issued.
        if let expiry = issued?.sessionExpiresAt { session.expiresAt = expiry.date }
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
