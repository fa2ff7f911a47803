import LatchkeyModel
package import LatchkeyWire

/// Listens to events about the current session, so that the client notices changes on the server within
/// seconds.
///
/// An event never changes the session directly. Events trigger the same check as ``SessionCheck``, and only
/// the identity server's response to that check can end the session. While a user is logged in, one event
/// stream is open. If the transport doesn't support streaming, the client uses long polling instead. No
/// requests are sent until ``start()`` is called.
package final class SessionEvents: Sendable {
    private struct State {
        var isStarted = false
        /// The login whose events are being received, if any.
        var login: UInt32?
        var task: Task<Void, Never>?
    }

    private let keeper: @Sendable () -> SessionKeeper?
    private let follower: SessionEventLoop
    private let state = Locked(State())

    /// Creates an event listener that doesn't send any requests until ``start()`` is called.
    ///
    /// - Parameters:
    ///   - api: The identity server's API.
    ///   - keeper: The session's keeper, which isn't retained.
    ///   - enrolment: Renews the certificate during a check.
    ///   - time: The clock to use for delays between connections.
    ///   - random: The source of randomness for delays.
    init(
        api: IdentityAPI,
        keeper: SessionKeeper,
        enrolment: Enrolment,
        time: any TimeSource,
        random: any RandomSource
    ) {
        // The loop may wait hours for an event, so it must not keep the engine alive.
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

    /// Starts listening to events for the current session and for every later login.
    ///
    /// Calling this method again has no effect.
    package func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        keeper()?.follow { [weak self] change in self?.apply(change) }
    }

    /// Ends the delay before the next attempt.
    ///
    /// Call this when the user opens the app.
    ///
    /// This has no effect if the last attempt was very recent.
    package func wake() {
        follower.wake()
    }

    /// Adds an observer of events.
    ///
    /// - Parameter observer: A closure that is called on any thread for each event, after the session has
    ///   been checked. Observers can't be removed.
    package func observe(_ observer: @escaping @Sendable (SessionEventType) -> Void) {
        follower.observers.withLock { $0.append(observer) }
    }

    /// Starts or stops the task.
    ///
    /// Called under the keeper's lock.
    private func apply(_ change: SessionChange) {
        let former = state.withLock { state -> Task<Void, Never>? in
            let login: UInt32?
            switch change {
            case .signedOut, .state(.signedOut, _): login = nil
            case .state(.signedIn, let current): login = current
            // We don't record this, because the session continues once the store can be read again.
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
