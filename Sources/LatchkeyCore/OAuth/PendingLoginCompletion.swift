import LatchkeyModel

/// Completes pending logins for which the provider has answered, or ends what they have left at the provider.
struct PendingLoginCompletion: Sendable {
    let grants: GrantCompletion
    let logins: PendingLoginStore
    let keeper: SessionKeeper
    let revocations: RevocationOutbox?
    let removeKey: @Sendable (StoredKey) -> Void

    /// Completes a login.
    ///
    /// If it can't be completed, what it has left at the provider is revoked.
    ///
    /// - Parameters:
    ///   - login: The login.
    ///   - attempt: The attempt that stores the session.
    ///   - keepsUnanswered: Whether the login stays stored if the provider couldn't be reached.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyError``.
    func complete(
        _ login: PendingLogin,
        attempt: LoginAttempt,
        keepsUnanswered: Bool = false
    ) async throws(LatchkeyError) -> UserSession {
        let latest = Locked(login)
        do throws(LatchkeyError) {
            let session = try await keeper.run(attempt) { () async throws(LatchkeyError) in
                try await grants.complete(login, attempt: attempt) { progress in
                    latest.withLock { $0.progress = progress }
                    // If this fails, the login can't be continued after a restart, but goes on.
                    _ = try? await logins.change { $0.advance(login.state, to: progress) }
                }
            }
            await logins.remove(login.state)
            return session
        } catch {
            guard !keepsUnanswered || !error.isLostAnswer else { throw error }
            // The caller may have been cancelled. A sign-out may have removed the stored progress.
            await Task { await abandon(latest.withLock { $0 }) }.value
            throw error
        }
    }

    /// Forgets a login, and revokes what it has left at the provider.
    func abandon(_ login: PendingLogin) async {
        if let revocations {
            // If this fails, the login is found again at the next start.
            guard let encoded = login.encoded, (try? await revocations.add(login: encoded)) != nil else {
                return
            }
        } else {
            removeKey(login.key)
        }
        await logins.remove(login.state)
    }

    /// Compares the session of this device with that of when a login began.
    func standing(of login: PendingLogin) async -> BrowserLoginRules.Standing {
        await keeper.ready(again: true)
        guard let held = keeper.held?.stored else { return .unchanged }
        if held.key == login.key { return .own }
        return held.login == login.former ? .unchanged : .other
    }
}
