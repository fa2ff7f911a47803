import Latchkey

/// Holds a delegate weakly and tells it of every change of the login once, on the main actor.
///
/// A delegate that comes after a login is told of it too. It knows nothing before it is told anything,
/// which is the same as being told that nobody is logged in.
package final class DelegateRelay<Delegate>: Sendable {
    /// How a delegate is told; the client is part of it, and held weakly.
    package typealias Tell = @MainActor @Sendable (Delegate, _ isAuthenticated: Bool) -> Void

    private struct State {
        weak var object: AnyObject?
        var delegate: () -> Delegate? = { nil }
        var tell: Tell?
        /// What the queue has come to; ahead of it is only what waits in the queue.
        var isAuthenticated = false
        /// What the delegate was told last.
        var told = false
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
        let isNew = state.withLock { state in
            guard state.object !== object else { return false }
            state.object = object
            state.delegate = delegate
            state.told = false
            return object != nil
        }
        if isNew { queue.add { self.catchUp() } }
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
            // A login in place of another is a change too; a logout without a login is none.
            return isAuthenticated || state.told
        }
    }

    @MainActor private func catchUp() {
        tell(true) { $0.isAuthenticated && !$0.told }
    }

    @MainActor private func tell(_ isAuthenticated: Bool, when isDue: (inout State) -> Bool) {
        let call = state.withLock { state -> (() -> Void)? in
            guard isDue(&state), let delegate = state.delegate(), let tell = state.tell else { return nil }
            state.told = isAuthenticated
            return { tell(delegate, isAuthenticated) }
        }
        call?()
    }
}
