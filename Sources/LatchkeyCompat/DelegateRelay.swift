package import Latchkey

/// Notifies a weakly held delegate on the main actor, once for each login or logout.
///
/// A delegate that is set after a login is still notified of that login. A delegate that has never been
/// called assumes that no user is logged in, so it is not notified of that state. There is one exception: if
/// the app has read the state while it was unknown, the delegate is notified as soon as the state is known,
/// even if no user is logged in.
///
/// The weak reference to the delegate is only loaded on the main actor, except by ``delegate``. Otherwise,
/// another thread could end up releasing the last reference and running the delegate's `deinit`.
package final class DelegateRelay<Delegate>: Sendable {
    /// A closure that notifies a delegate.
    ///
    /// If the closure captures the client, it must do so weakly.
    package typealias Notify = @MainActor @Sendable (Delegate, _ isAuthenticated: Bool) -> Void

    private struct State {
        /// The delegate's identity, which is only used for comparison.
        ///
        /// See ``setDelegate(_:load:)``.
        var id: ObjectIdentifier?
        var delegate: () -> Delegate? = { nil }
        var notify: Notify?
        /// The state after all notifications processed so far.
        ///
        /// Notifications that are still in the queue are not included.
        var isAuthenticated = false
        /// The value that the delegate was last called with, or `false` if it has not been called.
        var lastNotified = false
        /// Whether the app has read the state while it was unknown and the state has not changed since.
        var isAwaited = false
    }

    private let state = Locked(State())
    private let queue: MainActorQueue

    /// Creates a relay.
    ///
    /// Notifications share a queue with the completion handlers of calls, which keeps them in order.
    package init(queue: MainActorQueue) {
        self.queue = queue
    }

    /// Sets the closure that notifies a delegate.
    ///
    /// Call this method once, when the client is created.
    package func onChange(_ notify: @escaping Notify) {
        state.withLock { $0.notify = notify }
    }

    /// The delegate.
    ///
    /// The delegate can be read on any thread but is only called on the main actor.
    package var delegate: Delegate? {
        state.withLock { $0.delegate() }
    }

    /// Sets the delegate.
    ///
    /// This method can be called on any thread.
    ///
    /// Setting the same object again has no effect. A new delegate is notified if a user is logged in.
    ///
    /// - Parameters:
    ///   - object: The delegate as an object, used for comparing identities, or `nil` to remove the delegate.
    ///   - load: A closure that returns the delegate, or `nil` if the delegate has been deallocated. The
    ///     closure must not retain the delegate.
    package func setDelegate(_ object: AnyObject?, load: @escaping () -> Delegate?) {
        let id = object.map { ObjectIdentifier($0) }
        let isNew = state.withLock { state in
            // The identifier of a deallocated object may be reused. If the identifiers are equal, the stored
            // delegate is either the object that the caller holds or already deallocated, so it is safe to
            // load it here.
            guard state.id != id || (id != nil && state.delegate() == nil) else { return false }
            state.id = id
            state.delegate = load
            state.lastNotified = false
            return object != nil
        }
        if isNew { queue.add { self.catchUp() } }
    }

    /// Records that the app has read the state while the state was unknown.
    ///
    /// As soon as the state is known, the delegate is notified, even if no user is logged in.
    package func notifyWhenKnown() {
        state.withLock { $0.isAwaited = true }
    }

    /// Enqueues the notification for a change.
    ///
    /// The caller must report the changes in order, while holding the lock that orders them.
    package func enqueue(_ event: SessionEvent) {
        switch event.state {
        case .signedIn where event.isNewSession: queue.add { self.change(to: true) }
        case .signedOut: queue.add { self.change(to: false) }
        case .signedIn, .unavailable: break
        }
    }

    /// Notifies the delegate of a login or logout, unless the delegate already knows about the change.
    @MainActor private func change(to isAuthenticated: Bool) {
        notify(isAuthenticated) { state in
            state.isAuthenticated = isAuthenticated
            defer { state.isAwaited = false }
            // A login that replaces another login is also a change, but a logout without a preceding login is
            // not.
            return isAuthenticated || state.lastNotified || state.isAwaited
        }
    }

    /// Notifies a new delegate of a login that happened before it was set.
    @MainActor private func catchUp() {
        notify(true) { $0.isAuthenticated && !$0.lastNotified }
    }

    /// Calls the delegate if `isDue` returns `true`.
    ///
    /// The lock is not held during the call.
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
