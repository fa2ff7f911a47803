import Latchkey

/// Holds a delegate weakly and tells it of every change of the login once, on the main actor.
///
/// A delegate that comes after a login is told of it too. It knows nothing before it is told anything,
/// which is the same as being told that nobody is logged in. If the app was answered that the state is unknown, the
/// delegate is told what it turns out to be, also that nobody is logged in.
///
/// The delegate is loaded on the main actor only, except by ``delegate``. Loading it on another thread could make that
/// thread release the last reference, and run the delegate's `deinit` there.
package final class DelegateRelay<Delegate>: Sendable {
    /// How a delegate is told; the client is part of it, and held weakly.
    package typealias Tell = @MainActor @Sendable (Delegate, _ isAuthenticated: Bool) -> Void

    private struct State {
        /// Compared only; see ``setDelegate(_:_:)``.
        var id: ObjectIdentifier?
        var delegate: () -> Delegate? = { nil }
        var tell: Tell?
        /// What the queue has come to; ahead of it is only what waits in the queue.
        var isAuthenticated = false
        /// What the delegate was told last.
        var told = false
        /// Whether the app was answered that the state is unknown.
        var awaitsAnswer = false
    }

    private let state = Locked(State())
    private let queue: MainActorQueue

    init(queue: MainActorQueue) {
        self.queue = queue
    }

    /// Says how a delegate is told.
    package func whenChanged(_ tell: @escaping Tell) {
        state.withLock { $0.tell = tell }
    }

    /// The delegate; it can be read anywhere, and is called on the main actor alone.
    package var delegate: Delegate? {
        state.withLock { $0.delegate() }
    }

    /// Sets the delegate.
    ///
    /// - Parameters:
    ///   - object: The delegate as an object, by which it is told from others.
    ///   - delegate: Finds the delegate as long as it exists; must not keep it alive.
    package func setDelegate(_ object: AnyObject?, _ delegate: @escaping () -> Delegate?) {
        let id = object.map { ObjectIdentifier($0) }
        let isNew = state.withLock { state in
            // An object that is deallocated may have left its identifier to this one. With equal identifiers, the
            // delegate is the object that the caller holds, or gone, so that it can be loaded here.
            guard state.id != id || (id != nil && state.delegate() == nil) else { return false }
            state.id = id
            state.delegate = delegate
            state.told = false
            return object != nil
        }
        if isNew { queue.add { self.catchUp() } }
    }

    /// Notes that the app was answered that the state is unknown.
    package func awaitAnswer() {
        state.withLock { $0.awaitsAnswer = true }
    }

    /// Notes a change; called in the order of the changes, under the lock that orders them.
    func note(_ event: SessionEvent) {
        switch event.state {
        case .signedIn where event.isNewSession: queue.add { self.change(to: true) }
        case .signedOut: queue.add { self.change(to: false) }
        case .signedIn, .unavailable: break
        }
    }

    @MainActor private func change(to isAuthenticated: Bool) {
        tell(isAuthenticated) { state in
            state.isAuthenticated = isAuthenticated
            defer { state.awaitsAnswer = false }
            // A login in place of another is a change too; a logout without a login is none.
            return isAuthenticated || state.told || state.awaitsAnswer
        }
    }

    @MainActor private func catchUp() {
        tell(true) { $0.isAuthenticated && !$0.told }
    }

    @MainActor private func tell(_ isAuthenticated: Bool, when isDue: (inout State) -> Bool) {
        let call = state.withLock { state -> (() -> Void)? in
            guard isDue(&state), let tell = state.tell, let delegate = state.delegate() else { return nil }
            state.told = isAuthenticated
            return { tell(delegate, isAuthenticated) }
        }
        call?()
    }
}
