import LatchkeyModel

/// Checks the current session with the identity server, and renews its certificate.
package struct SessionCheck: Sendable {
    private let api: IdentityAPI
    private let keeper: SessionKeeper
    private let enrolment: Enrolment
    private let time: any TimeSource

    init(api: IdentityAPI, keeper: SessionKeeper, enrolment: Enrolment, time: any TimeSource) {
        self.api = api
        self.keeper = keeper
        self.enrolment = enrolment
        self.time = time
    }

    /// Checks the session, if there is one, and stores its current data.
    ///
    /// The session ends only if the server responds that it has ended; network, server and store errors do
    /// not end it. A successful check also renews the certificate if renewal is due.
    ///
    /// - Returns: The state after the check.
    /// - Throws: ``LatchkeyError`` if the store could not be read, or the server did not confirm or end the
    ///   session.
    package func callAsFunction() async throws(LatchkeyError) -> SessionState {
        await keeper.ready(again: true)
        guard let held = keeper.held else {
            if case .unavailable(.store(let error)) = keeper.state { throw LatchkeyError(store: error) }
            return keeper.state
        }
        guard let token = held.stored.sessionToken else { return try await check(grant: held) }
        guard
            let session = try await verdict(
                on: held,
                { () async throws(LatchkeyError) in
                    try await api.whoami(token)
                }
            )
        else { return keeper.state }
        await keeper.amend(held) { $0.session = session }
        await renewCertificate()
        return keeper.state
    }

    /// Checks a login by an OAuth grant: only a refresh can tell whether the grant has ended.
    ///
    /// - Throws: ``LatchkeyError`` if the server could not be asked.
    private func check(grant held: HeldSession) async throws(LatchkeyError) -> SessionState {
        do throws(LatchkeyError) {
            _ = try await keeper.access(fresherThan: held)
        } catch {
            guard error.code == .signedOut else { throw error }
            // The record of the ended login is removed in the background.
            await keeper.ready(again: true)
        }
        return keeper.state
    }

    /// Renews the certificate once two thirds of its lifetime have passed, unless another renewal is running.
    ///
    /// Errors are ignored, because the next check tries again; only a response that the session has ended has
    /// an effect.
    package func renewCertificate() async {
        guard let held = keeper.beginRenewal(at: time.now) else { return }
        defer { keeper.endRenewal() }
        let certificate = try? await verdict(on: held) { () async throws(LatchkeyError) in
            try await enrolment.renew(held.stored)
        }
        if let certificate = certificate ?? nil { await keeper.amend(held) { $0.certificate = certificate } }
    }

    /// Performs a request that requires an active session.
    ///
    /// - Parameters:
    ///   - held: The session that the request is made for; the check ends it if the server says that it has
    ///     ended.
    ///   - ask: Performs the request.
    /// - Returns: The result of the request, or `nil` if the server responded that the session has ended.
    /// - Throws: All other errors of the request.
    private func verdict<Value>(
        on held: HeldSession,
        _ ask: () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value? {
        do throws(LatchkeyError) {
            return try await ask()
        } catch  where error.code == .sessionEnded {
            await keeper.end(held, because: "The identity server no longer accepts the session.")
            return nil
        }
    }
}

extension SessionKeeper {
    /// Returns the session whose certificate is due for renewal, and reserves the renewal for this caller.
    ///
    /// - Parameter now: The current time, which is compared with the certificate's renewal date.
    /// - Returns: The session, or `nil` if no renewal is due or another one is running.
    fileprivate func beginRenewal(at now: Timestamp) -> HeldSession? {
        keeperState.withLock { state in
            guard
                !state.isRenewing, let held = state.held,
                let certificate = held.stored.certificate, now >= certificate.renewalDate
            else { return nil }
            state.isRenewing = true
            return held
        }
    }

    /// Allows the next renewal; must be called after every successful ``beginRenewal(at:)``.
    fileprivate func endRenewal() {
        keeperState.withLock { $0.isRenewing = false }
    }
}
