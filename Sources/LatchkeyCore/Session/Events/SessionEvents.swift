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
        /// How many clients want the events to be received.
        var clients = 0
        /// Whether this object is notified of session changes.
        var isFollowing = false
        /// The current login, if any.
        ///
        /// Its events are received while there is a task.
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
    /// Each client that calls this method must call ``stop()`` once. The events are received until the last
    /// of these clients has done so.
    package func start() {
        let isFirst = state.withLock { state in
            state.clients += 1
            if state.clients == 1 { state.task = task(for: state.login) }
            defer { state.isFollowing = true }
            return !state.isFollowing
        }
        guard isFirst else { return }
        keeper()?.follow { [weak self] change in self?.apply(change) }
    }

    /// Stops listening to events, unless another client still wants them to be received.
    package func stop() {
        state.withLock { state -> Task<Void, Never>? in
            state.clients -= 1
            guard state.clients == 0 else { return nil }
            defer { state.task = nil }
            return state.task
        }?.cancel()
    }

    /// Whether at least one client wants the events to be received.
    ///
    /// Only tests use this property.
    package var isWanted: Bool { state.withLock { $0.clients > 0 } }

    /// Whether events of the current session are being received.
    ///
    /// Only tests use this property.
    package var isReceiving: Bool { state.withLock { $0.task != nil } }

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
    ///   been checked.
    /// - Returns: The token that keeps the observer registered.
    package func observe(_ observer: @escaping @Sendable (SessionEventType) -> Void) -> ObserverToken {
        follower.observers.withLock { $0.add(observer) }
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
                state.task = state.clients > 0 ? task(for: login) : nil
            }
            return state.task
        }
        former?.cancel()
    }

    /// Starts a task that receives the events of a login, or returns `nil` if there is no login.
    private func task(for login: UInt32?) -> Task<Void, Never>? {
        login.map { login in Task { [follower] in await follower.run(login) } }
    }
}
