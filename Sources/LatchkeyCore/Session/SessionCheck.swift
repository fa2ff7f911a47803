import LatchkeyModel

/// Checks with the identity server whether the current session is valid, and renews its certificate.
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

    /// Checks the session, if there is one, and stores the data that the server returns.
    ///
    /// The session is ended only if the server says that it is no longer valid. The session isn't ended by
    /// errors from the network, the server or the store. A successful check also renews the certificate if it
    /// is due.
    ///
    /// - Returns: The state of the session after the check.
    /// - Throws: ``LatchkeyError`` if the store could not be read, or if it is unclear whether the session is
    ///   still valid.
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

    /// Checks a login that has an OAuth grant.
    ///
    /// We have to refresh the tokens to find out whether the grant has ended.
    ///
    /// - Throws: ``LatchkeyError`` if it is unclear whether the grant has ended.
    private func check(grant held: HeldSession) async throws(LatchkeyError) -> SessionState {
        do throws(LatchkeyError) {
            _ = try await keeper.access(fresherThan: held)
        } catch {
            // Without a refresh token, the provider can only say that the grant has ended.
            if error.code == .refused, held.stored.pair?.refresh == nil { return keeper.state }
            guard error.code == .signedOut else { throw error }
            // The record of the login that ended is removed in the background.
            await keeper.ready(again: true)
        }
        return keeper.state
    }

    /// Renews the certificate if two thirds of its lifetime have passed, unless it is already being renewed.
    ///
    /// Errors are ignored, because the next check will try again. The exception is a response that the
    /// session has ended, which also ends the session on this device.
    package func renewCertificate() async {
        guard let held = keeper.beginRenewal(at: time.now) else { return }
        defer { keeper.endRenewal() }
        let certificate = try? await verdict(on: held) { () async throws(LatchkeyError) in
            try await enrolment.renew(held.stored)
        }
        if let certificate = certificate ?? nil { await keeper.amend(held) { $0.certificate = certificate } }
    }

    /// Sends a request that requires an active session.
    ///
    /// - Parameters:
    ///   - held: The session to end if the server responds that it is no longer active.
    ///   - ask: A closure that sends the request.
    /// - Returns: The result of the request, or `nil` if the server responded that the session has ended.
    /// - Throws: Any other error thrown by the request.
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
    /// Returns the session if its certificate is due for renewal, and prevents other callers from renewing
    /// it.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The session, or `nil` if the certificate isn't due or is already being renewed.
    fileprivate func beginRenewal(at now: Timestamp) -> HeldSession? {
        keeperState.withLock { state in
            guard
                !state.isRenewing, let held = state.held,
                held.stored.certificate?.isRenewalDue(at: now) == true
            else { return nil }
            state.isRenewing = true
            return held
        }
    }

    /// Allows the certificate to be renewed again.
    ///
    /// Must be called whenever ``beginRenewal(at:)`` has returned a session.
    fileprivate func endRenewal() {
        keeperState.withLock { $0.isRenewing = false }
    }
}
