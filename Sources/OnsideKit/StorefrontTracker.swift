import LatchkeyModel

/// Reports each change of the storefront once.
final class StorefrontTracker: Sendable {
    private struct State {
        var storefront: OnsideStorefront?
        var report: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Begins without a storefront.
    ///
    /// - Parameter report: Called for each change, under a lock; it must only enqueue the notification.
    func start(_ report: @escaping @Sendable () -> Void) {
        state.withLock { $0.report = report }
    }

    /// Reports the end of the storefront, and no change after it.
    func stop() {
        update(to: nil)
        state.withLock { $0.report = nil }
    }

    /// Sets the storefront; called for the changes in order.
    func update(to storefront: OnsideStorefront?) {
        state.withLock { state in
            guard state.storefront != storefront else { return }
            state.storefront = storefront
            state.report?()
        }
    }
}
