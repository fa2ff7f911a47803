import LatchkeyModel

/// The background maintenance of a session: it checks the session and renews its certificate and tokens.
///
/// At most one task of each kind runs at a time. After it ends, requests do not start another one until a
/// pause has passed: a minute after a success, up to an hour after consecutive failures. A new login starts
/// without pauses.
package final class SessionMaintenance: Sendable {
    /// A kind of task.
    private enum Duty {
        case certificate, tokens, check
    }

    private struct State {
        var login: UInt32?
        var running: [Duty: Task<Void, Never>] = [:]
        var pauses: [Duty: Backoff] = [:]

        /// The back-offs of the origins that rejected a session although the identity server confirmed it.
        var refusals: [String: Backoff] = [:]

        /// Clears the pauses if the session belongs to another login.
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

    /// Starts the renewal of a session's certificate.
    func renewCertificate(of session: HeldSession) {
        start(.certificate, for: session) { [self] in
            await sessionCheck.renewCertificate()
            // If the new certificate is immediately due for renewal, the renewal counts as a failure: the
            // device's clock is far ahead.
            guard let certificate = keeper.held?.stored.certificate else { return true }
            return time.now < certificate.renewalDate
        }
    }

    /// Starts a refresh of a session's tokens.
    func refreshTokens(of session: HeldSession) {
        start(.tokens, for: session) { [self] in
            (try? await keeper.access(fresherThan: session)) != nil
        }
    }

    /// Refreshes a session's tokens for a caller that waits for the result, unless refreshes are paused.
    ///
    /// Concurrent calls share one refresh.
    ///
    /// - Parameter session: The session, whose token is still valid.
    /// - Returns: The session with its new token, or `nil` during a pause.
    /// - Throws: The ``LatchkeyError`` of the refresh.
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

    /// Starts a check of a session with the identity server, because an origin rejected it.
    ///
    /// - Parameters:
    ///   - session: The session that was rejected.
    ///   - origin: The origin that rejected the session. If the identity server confirms the session, further
    ///     rejections by this origin do not trigger a check for a while.
    func check(_ session: HeldSession, refusedBy origin: String) {
        let isPaused = state.withLock { state in
            state.begin(session)
            return state.refusals[origin]?.allows(at: time.uptime) == false
        }
        guard !isPaused else { return }
        start(.check, for: session) { [self] in
            guard let result = try? await sessionCheck() else { return false }
            guard result.session != nil else { return true }
            // The session is valid, so this origin's responses do not indicate that it has ended.
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
    ///   - duty: The kind of task.
    ///   - session: The session that the task is for; the pauses of another login are cleared.
    ///   - work: Performs the task, and returns whether it succeeded.
    private func start(
        _ duty: Duty,
        for session: HeldSession,
        work: @escaping @Sendable () async -> Bool
    ) {
        state.withLock { state in
            state.begin(session)
            guard state.running[duty] == nil, state.pauses[duty]?.allows(at: time.uptime) != false else {
                return
            }
            state.running[duty] = Task { [self] in end(duty, for: session, isDone: await work()) }
        }
    }

    /// Begins the pause that follows a task, unless another login has replaced the session.
    private func end(_ duty: Duty, for session: HeldSession, isDone: Bool) {
        state.withLock { $0.running[duty] = nil }
        notePause(after: duty, for: session, isDone: isDone)
    }

    private func notePause(after duty: Duty, for session: HeldSession, isDone: Bool) {
        state.withLock { state in
            guard state.login == session.handle.login else { return }
            if isDone {
                state.pauses[duty, default: Backoff()].succeed(at: time.uptime, random: random)
            } else {
                state.pauses[duty, default: Backoff()].fail(at: time.uptime, random: random)
            }
        }
    }

    /// Waits for the check in progress, if there is one.
    func finishCheck() async {
        await state.withLock { $0.running[.check] }?.value
    }

    /// Waits until no task is running; for tests.
    package func finish() async {
        while let task = state.withLock({ $0.running.first?.value }) { await task.value }
    }
}
