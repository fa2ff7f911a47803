import LatchkeyModel

/// Asks the identity server about the session, and keeps its certificate fresh.
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

    /// Checks the session, if there is one.
    ///
    /// The server's word that the session is over ends it. Nothing else does: no trouble of the network, of the
    /// server, of the store.
    ///
    /// - Returns: The state after the check.
    /// - Throws: ``LatchkeyError`` when nothing could be found out.
    package func callAsFunction() async throws(LatchkeyError) -> SessionState {
        await keeper.ready(again: true)
        guard let held = keeper.held else {
            if case .unavailable(.store(let error)) = keeper.state { throw LatchkeyError(store: error) }
            return keeper.state
        }
        guard
            let session = try await verdict(
                on: held,
                { () async throws(LatchkeyError) in
                    try await api.whoami(held.stored.token)
                }
            )
        else { return keeper.state }
        await keeper.amend(held) { $0.session = session }
        await renewCertificate()
        return keeper.state
    }

    /// Has the certificate renewed when two thirds of its life are over; when that fails, the next check tries again.
    package func renewCertificate() async {
        guard let held = keeper.beginRenewal(at: time.now) else { return }
        defer { keeper.endRenewal() }
        let certificate = try? await verdict(on: held) { () async throws(LatchkeyError) in
            try await enrolment.renew(held.stored)
        }
        if let certificate { await keeper.amend(held) { $0.certificate = certificate } }
    }

    /// Asks something that only a live session is told; nothing when the server said that it is over.
    private func verdict<Value>(
        on held: HeldSession,
        _ ask: () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value? {
        do throws(LatchkeyError) {
            return try await ask()
        } catch  where error.code == .sessionEnded {
            await keeper.end(held, because: "The identity server does not know the session any more.")
            return nil
        }
    }
}

extension SessionKeeper {
    /// The session whose certificate is to be renewed now, by this caller alone.
    fileprivate func beginRenewal(at now: Timestamp) -> HeldSession? {
        books.withLock { books in
            guard
                !books.isRenewing, let held = books.held,
                now >= held.stored.certificate.renewalDate
            else { return nil }
            books.isRenewing = true
            return held
        }
    }

    fileprivate func endRenewal() {
        books.withLock { $0.isRenewing = false }
    }
}
