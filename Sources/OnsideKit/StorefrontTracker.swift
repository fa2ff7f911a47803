import LatchkeyModel

/// Reports each change to the storefront exactly once.
final class StorefrontTracker: Sendable {
    private struct State {
        var storefront: OnsideStorefront?
        var report: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Starts tracking without a storefront.
    ///
    /// - Parameter report: Called for each change while a lock is held. The closure must only enqueue the
    ///   notification.
    func start(_ report: @escaping @Sendable () -> Void) {
        state.withLock { $0.report = report }
    }

    /// Reports that the storefront is gone and stops reporting changes.
    func stop() {
        update(to: nil)
        state.withLock { $0.report = nil }
    }

    /// Sets the storefront.
    ///
    /// Changes must be passed in order.
    func update(to storefront: OnsideStorefront?) {
        state.withLock { state in
            guard state.storefront != storefront else { return }
            state.storefront = storefront
            state.report?()
        }
    }
}
