import OnsideKit
import TestStore

/// An observer of the payment queue that records its notifications.
@MainActor final class Recorder: OnsidePaymentTransactionObserver {
    /// The storefront at the time of each notification.
    private(set) var storefronts: [String?] = []
    /// For each call, the updates that the observer received, formatted as `product state`.
    private(set) var updates: [[String]] = []
    private(set) var transactions: [OnsidePaymentTransaction] = []

    private let finishes: Bool
    private nonisolated let whenReleased: (@Sendable () -> Void)?

    init(finishes: Bool = false, whenReleased: (@Sendable () -> Void)? = nil) {
        self.finishes = finishes
        self.whenReleased = whenReleased
        Onside.defaultPaymentQueue().add(observer: self)
    }

    deinit {
        Onside.defaultPaymentQueue().remove(observer: self)
        whenReleased?()
    }

    func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    ) {
        updates.append(
            updatedTransactions.map { "\($0.payment.productIdentifier) \($0.transactionState)" }
        )
        transactions += updatedTransactions
        guard finishes else { return }
        for transaction in updatedTransactions { queue.finishTransaction(transaction) }
    }

    func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue) {
        storefronts.append(queue.storefront?.countryCode)
    }

    /// Waits until the observer has been called with transactions at least `count` times.
    func updates(_ count: Int) async -> [[String]] {
        await eventually { updates.count >= count }
        return updates
    }

    /// Waits until the observer has been notified of the storefront at least `count` times.
    func storefronts(_ count: Int) async -> [String?] {
        await eventually { storefronts.count >= count }
        return storefronts
    }
}
