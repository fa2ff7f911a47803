package import Latchkey

/// Notifies a weakly held delegate once of each login change, on the main actor.
///
/// A delegate that is set after a login is also notified of that login. A delegate that has not been notified
/// assumes that no user is logged in, so it is not notified of that state. There is one exception: after the
/// app has read the state while it was unknown, the delegate is notified as soon as the state is known, even
/// if no user is logged in.
///
/// The weak reference to the delegate is loaded only on the main actor, except by ``delegate``. If another
/// thread loaded it, that thread could release the last reference and run the delegate's `deinit`.
package final class DelegateRelay<Delegate>: Sendable {
    /// A closure that notifies a delegate; it captures the client, and must capture it weakly.
    package typealias Notify = @MainActor @Sendable (Delegate, _ isAuthenticated: Bool) -> Void

    private struct State {
        /// The delegate's identity, for comparison only; see ``setDelegate(_:load:)``.
        var id: ObjectIdentifier?
        var delegate: () -> Delegate? = { nil }
        var notify: Notify?
        /// The state after the notifications that have been processed; it does not reflect those still in the
        /// queue.
        var isAuthenticated = false
        /// The value of the delegate's last notification; `false` before the first one.
        var lastNotified = false
        /// Whether the app has read the state since the last change, while the state was unknown.
        var isAwaited = false
    }

    private let state = Locked(State())
    private let queue: MainActorQueue

    /// Creates a relay whose notifications share a queue with the completions of calls, so that they are
    /// ordered.
    package init(queue: MainActorQueue) {
        self.queue = queue
    }

    /// Sets the closure that notifies a delegate; must be called once, when the client is created.
    package func onChange(_ notify: @escaping Notify) {
        state.withLock { $0.notify = notify }
    }

    /// The delegate, which can be read on any thread and is called only on the main actor.
    package var delegate: Delegate? {
        state.withLock { $0.delegate() }
    }

    /// Sets the delegate; can be called on any thread.
    ///
    /// Setting the same object again has no effect. A new delegate is notified if a user is logged in.
    ///
    /// - Parameters:
    ///   - object: The delegate as an object, used to identify it; `nil` removes the delegate.
    ///   - load: Returns the delegate while it exists; must not retain it.
    package func setDelegate(_ object: AnyObject?, load: @escaping () -> Delegate?) {
        let id = object.map { ObjectIdentifier($0) }
        let isNew = state.withLock { state in
            // The identifier of a deallocated object may be reused. If the identifiers are equal, the stored
            // delegate is either the object that the caller holds or deallocated, so loading it here is safe.
            guard state.id != id || (id != nil && state.delegate() == nil) else { return false }
            state.id = id
            state.delegate = load
            state.lastNotified = false
            return object != nil
        }
        if isNew { queue.add { self.catchUp() } }
    }

    /// Records that the app has read the state while it was unknown, so that the delegate is notified even if
    /// no user is logged in.
    package func notifyWhenKnown() {
        state.withLock { $0.isAwaited = true }
    }

    /// Enqueues the notification of a change; called for the changes in order, under the lock that orders
    /// them.
    package func enqueue(_ event: SessionEvent) {
        switch event.state {
        case .signedIn where event.isNewSession: queue.add { self.change(to: true) }
        case .signedOut: queue.add { self.change(to: false) }
        case .signedIn, .unavailable: break
        }
    }

    /// Notifies the delegate of a login or logout if the delegate does not know of it yet.
    @MainActor private func change(to isAuthenticated: Bool) {
        notify(isAuthenticated) { state in
            state.isAuthenticated = isAuthenticated
            defer { state.isAwaited = false }
            // A login that replaces another one is also a change; a logout without a preceding login is not.
            return isAuthenticated || state.lastNotified || state.isAwaited
        }
    }

    /// Notifies a new delegate of a login that happened before the delegate was set.
    @MainActor private func catchUp() {
        notify(true) { $0.isAuthenticated && !$0.lastNotified }
    }

    /// Calls the delegate if `isDue` returns `true`, without holding the lock during the call.
    @MainActor private func notify(_ isAuthenticated: Bool, when isDue: (inout State) -> Bool) {
        let call = state.withLock { state -> (() -> Void)? in
            guard isDue(&state), let notify = state.notify, let delegate = state.delegate() else {
                return nil
            }
            state.lastNotified = isAuthenticated
            return { notify(delegate, isAuthenticated) }
        }
        call?()
    }
}
