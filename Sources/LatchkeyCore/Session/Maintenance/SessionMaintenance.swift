import LatchkeyModel

/// Checks a session and renews its certificate and tokens in the background.
///
/// At most one task of each kind runs at a time. After a task has finished, there is a delay before another
/// one of the same kind can start. The delay is one minute after a success, and up to one hour after repeated
/// failures. After a new login, tasks can start without a delay.
package final class SessionMaintenance: Sendable {
    private enum Job {
        case certificate, tokens, check
    }

    private struct State {
        var login: UInt32?
        var running: [Job: Task<Void, Never>] = [:]
        var pauses: [Job: Backoff] = [:]

        /// The back-off for each origin that rejected a session that the identity server considers valid.
        var refusals: [String: Backoff] = [:]

        /// Resets all delays if the session belongs to a different login.
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

    /// Starts renewing a session's certificate.
    func renewCertificate(of session: HeldSession) {
        start(.certificate, for: session) { [self] in
            await sessionCheck.renewCertificate()
            // If the new certificate is already due for renewal, the device's clock is far ahead. We treat
            // this as a failure, which increases the delay before the next attempt.
            guard let certificate = keeper.held?.stored.certificate else { return true }
            return !certificate.isRenewalDue(at: time.now)
        }
    }

    /// Starts refreshing a session's tokens.
    func refreshTokens(of session: HeldSession) {
        start(.tokens, for: session) { [self] in
            (try? await keeper.access(fresherThan: session)) != nil
        }
    }

    /// Refreshes a session's tokens and waits for the result.
    ///
    /// Has no effect while refreshes are being delayed.
    ///
    /// If this is called several times at once, the calls share one refresh.
    ///
    /// - Parameter session: The session, whose current token is still valid.
    /// - Returns: The session with its new tokens, or `nil` if it is too early for another refresh.
    /// - Throws: ``LatchkeyError`` if the refresh failed.
    func refreshedTokens(of session: HeldSession) async throws(LatchkeyError) -> HeldSession? {
        let isPaused = state.withLock { state in
            state.begin(session)
            return state.pauses[.tokens]?.allows(at: time.uptime) == false
        }
        guard !isPaused else { return nil }
        do throws(LatchkeyError) {
            let fresher = try await keeper.access(fresherThan: session)
            notePause(after: .tokens, for: session, isDone: true)
            return fresher
        } catch {
            if error.code != .cancelled { notePause(after: .tokens, for: session, isDone: false) }
            throw error
        }
    }

    /// Starts checking a session with the identity server, because an origin has rejected it.
    ///
    /// - Parameters:
    ///   - session: The session that was rejected.
    ///   - origin: The origin that rejected the session. If the identity server confirms the session, further
    ///     rejections by this origin don't trigger another check for a while.
    func check(_ session: HeldSession, refusedBy origin: String) {
        let isPaused = state.withLock { state in
            state.begin(session)
            return state.refusals[origin]?.allows(at: time.uptime) == false
        }
        guard !isPaused else { return }
        start(.check, for: session) { [self] in
            guard let result = try? await sessionCheck() else { return false }
            guard result.session != nil else { return true }
            // The session is valid, so a rejection by this origin doesn't mean that the session has ended.
            state.withLock { state in
                guard state.login == session.handle.login else { return }
                state.refusals[origin, default: Backoff()].fail(at: time.uptime, random: random)
            }
            return true
        }
    }

    /// Runs a task in the background, unless it is already running or is being delayed.
    ///
    /// - Parameters:
    ///   - job: The kind of task.
    ///   - session: The session that the task is for. If the session belongs to a new login, all delays are
    ///     reset.
    ///   - work: A closure that performs the task and returns whether it succeeded.
    private func start(
        _ job: Job,
        for session: HeldSession,
        work: @escaping @Sendable () async -> Bool
    ) {
        state.withLock { state in
            state.begin(session)
            guard state.running[job] == nil, state.pauses[job]?.allows(at: time.uptime) != false else {
                return
            }
            state.running[job] = Task { [self] in end(job, for: session, isDone: await work()) }
        }
    }

    /// Begins the delay after a task, unless another login has replaced the session.
    private func end(_ job: Job, for session: HeldSession, isDone: Bool) {
        state.withLock { $0.running[job] = nil }
        notePause(after: job, for: session, isDone: isDone)
    }

    private func notePause(after job: Job, for session: HeldSession, isDone: Bool) {
        state.withLock { state in
            guard state.login == session.handle.login else { return }
            if isDone {
                state.pauses[job, default: Backoff()].succeed(at: time.uptime, random: random)
            } else {
                state.pauses[job, default: Backoff()].fail(at: time.uptime, random: random)
            }
        }
    }

    /// Waits for the check that is in progress, if there is one.
    func finishCheck() async {
        await state.withLock { $0.running[.check] }?.value
    }

    /// Waits until no tasks are running.
    ///
    /// Only tests call this method.
    package func finish() async {
        while let task = state.withLock({ $0.running.first?.value }) { await task.value }
    }
}
