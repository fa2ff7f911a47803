import LatchkeyModel

/// The last part of every login: certify this device and put the session in place, or leave nothing of it.
struct Admission: Sendable {
    private let keeper: SessionKeeper
    private let enrolment: Enrolment

    init(keeper: SessionKeeper, enrolment: Enrolment) {
        self.keeper = keeper
        self.enrolment = enrolment
    }

    /// Makes a session of what the server has accepted.
    ///
    /// - Parameters:
    ///   - authentication: What the server has accepted.
    ///   - schema: The only schema whose accounts are let in; nothing for all.
    ///   - attempt: The attempt that this ends.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyError``; nothing of the session is left then.
    func admit(
        _ authentication: Authentication,
        onlyAs schema: String?,
        _ attempt: LoginAttempt
    ) async throws(LatchkeyError) -> Session {
        let actual = authentication.session.identity.schema
        if let schema, !actual.isEmpty, actual != schema {
            throw LatchkeyError(
                .accountOfAnotherKind,
                "The account is one of the schema \"\(actual)\"; this login takes accounts of \"\(schema)\"."
            )
        }
        let enrolled = try await enrolment.enrol(authentication)
        let stored = StoredSession(
            session: authentication.session,
            token: authentication.token,
            key: enrolled.key,
            certificate: enrolled.certificate
        )
        do throws(LatchkeyError) {
            guard !Task.isCancelled else { throw .cancelled }
            try await keeper.commit(stored, attempt)
        } catch {
            enrolment.discard(enrolled.key)
            throw error
        }
        return stored.session
    }
}
