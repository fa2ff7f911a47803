import LatchkeyModel
package import LatchkeyWire

/// Follows the events of the current session, so that a change on the server is noticed within seconds.
///
/// An event never changes the session by itself: it leads to the same check as ``SessionCheck``, and only the identity
/// server's answer to that check ends the session. One stream is open while a user is logged in, or one poll waits if
/// the transport cannot stream. Without ``start()``, no request is sent.
package final class SessionEvents: Sendable {
    private struct State {
        var isStarted = false
        /// The login whose events are followed.
        var login: UInt32?
        var task: Task<Void, Never>?
    }

    private let keeper: @Sendable () -> SessionKeeper?
    private let follower: SessionEventLoop
    private let state = Locked(State())

    /// Creates a follower, which sends no request before ``start()``.
    ///
    /// - Parameters:
    ///   - api: The identity server.
    ///   - keeper: The owner of the session, which is not retained.
    ///   - enrolment: Renews the certificate in a check.
    ///   - time: The clock for pauses.
    ///   - random: The random source for pauses.
    init(
        api: IdentityAPI,
        keeper: SessionKeeper,
        enrolment: Enrolment,
        time: any TimeSource,
        random: any RandomSource
    ) {
        // The loop may wait for an event for hours, and must not extend the life of the engine.
        let keeper: @Sendable () -> SessionKeeper? = { [weak keeper] in keeper }
        self.keeper = keeper
        follower = SessionEventLoop(
            api: api,
            keeper: keeper,
            check: {
                guard let keeper = keeper() else { return true }
                let check = SessionCheck(api: api, keeper: keeper, enrolment: enrolment, time: time)
                return (try? await check()) != nil
            },
            time: time,
            random: random
        )
    }

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    /// Begins to follow the session of this device, now and after each login.
    ///
    /// Later calls have no effect.
    package func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        keeper()?.follow { [weak self] change in self?.apply(change) }
    }

    /// Ends the pause before the next attempt, because the app is in use.
    ///
    /// The call has no effect shortly after an attempt.
    package func wake() {
        follower.wake()
    }

    /// Adds an observer of events.
    ///
    /// - Parameter observer: Called on any thread with each event, after the check that the event has led to. It is
    ///   called for the lifetime of the engine.
    package func observe(_ observer: @escaping @Sendable (SessionEventType) -> Void) {
        follower.observers.withLock { $0.append(observer) }
    }

    /// Starts or stops the task; called under the keeper's lock.
    private func apply(_ change: SessionChange) {
        let former = state.withLock { state -> Task<Void, Never>? in
            let login: UInt32?
            switch change {
            case .signedOut, .state(.signedOut, _): login = nil
            case .state(.signedIn, let current): login = current
            // The session continues as soon as the store can be read again.
            case .state(.unavailable, _): return nil
            }
            guard login != state.login else { return nil }
            defer {
                state.login = login
                state.task = login.map { login in Task { [follower] in await follower.run(login) } }
            }
            return state.task
        }
        former?.cancel()
    }
}
