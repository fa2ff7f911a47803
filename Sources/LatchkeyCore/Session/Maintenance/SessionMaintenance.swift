import LatchkeyModel

/// Renews and checks a session in the background, beside the app's requests.
///
/// Each task runs once at a time. After a run it does not run again before a pause is over, whichever requests ask for
/// it: a minute after a success, up to an hour after failures in a row. Another login begins without pauses.
package final class SessionMaintenance: Sendable {
    private enum Duty {
        case certificate, tokens, check
    }

    private struct State {
        var login: UInt32?
        var running: [Duty: Task<Void, Never>] = [:]
        var pauses: [Duty: Backoff] = [:]

        /// The origins that refused a session which the identity server confirmed.
        var refusals: [String: Backoff] = [:]

        /// Forgets the pauses of another login.
        mutating func begin(_ session: HeldSession) {
            guard login != session.handle.login else { return }
            (login, pauses, refusals) = (session.handle.login, [:], [:])
        }
    }

    private let keeper: SessionKeeper
    private let sessionCheck: SessionCheck
    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Locked(State())

    init(
        keeper: SessionKeeper,
        check: SessionCheck,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.keeper, sessionCheck, self.time, self.random) = (keeper, check, time, random)
    }

    /// Has the certificate of a session renewed.
    func renewCertificate(of session: HeldSession) {
        start(.certificate, for: session) { [self] in
            await sessionCheck.renewCertificate()
            // It is also due after a success if the device's clock is far ahead.
            guard let held = keeper.held else { return true }
            return time.now < held.stored.certificate.renewalDate
        }
    }

    /// Has the tokens of a session refreshed.
    func refreshTokens(of session: HeldSession) {
        start(.tokens, for: session) { [self] in
            (try? await keeper.access(fresherThan: session)) != nil
        }
    }

    /// Has the identity server asked about a session, after an origin has refused it.
    func check(_ session: HeldSession, refusedBy origin: String) {
        let isPaused = state.withLock { state in
            state.begin(session)
            return state.refusals[origin]?.allows(at: time.uptime) == false
        }
        guard !isPaused else { return }
        start(.check, for: session) { [self] in
            guard let result = try? await sessionCheck() else { return false }
            guard result.session != nil else { return true }
            // The session is good, and so the origin's answers say nothing about it.
            state.withLock { state in
                guard state.login == session.handle.login else { return }
                state.refusals[origin, default: Backoff()].fail(at: time.uptime, random: random)
            }
            return true
        }
    }

    /// Runs a task in the background, unless it is running or paused.
    ///
    /// - Parameters:
    ///   - duty: The task.
    ///   - session: The session that it is for.
    ///   - work: Returns whether the task succeeded.
    private func start(
        _ duty: Duty,
        for session: HeldSession,
        _ work: @escaping @Sendable () async -> Bool
    ) {
        state.withLock { state in
            state.begin(session)
            guard state.running[duty] == nil, state.pauses[duty]?.allows(at: time.uptime) != false else {
                return
            }
            state.running[duty] = Task { [self] in end(duty, for: session, isDone: await work()) }
        }
    }

    private func end(_ duty: Duty, for session: HeldSession, isDone: Bool) {
        state.withLock { state in
            state.running[duty] = nil
            guard state.login == session.handle.login else { return }
            if isDone {
                state.pauses[duty, default: Backoff()].succeed(at: time.uptime, random: random)
            } else {
                state.pauses[duty, default: Backoff()].fail(at: time.uptime, random: random)
            }
        }
    }

    /// Waits until no task is running.
    package func finish() async {
        while let task = state.withLock({ $0.running.first?.value }) { await task.value }
    }
}
