/// An observer of the payment queue, which holds it weakly.
@MainActor public protocol OnsidePaymentTransactionObserver: AnyObject {
    /// Called when transactions were added to the queue or have changed their state.
    ///
    /// A new observer is called with the transactions that the queue contains, if there are any. Transactions that the
    /// app has not finished are delivered again at the next start.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - updatedTransactions: The transactions in their present state, oldest first.
    func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    )

    /// Called once for each change of the storefront: after a login, after a logout, and when the user's region changes.
    ///
    /// The default implementation has no effect.
    ///
    /// - Parameter queue: The queue.
    func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue)
}

extension OnsidePaymentTransactionObserver {
    /// Ignores the change.
    public func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue) {}
}
