/// An object that observes the payment queue.
///
/// The queue keeps only weak references to its observers.
@MainActor public protocol OnsidePaymentTransactionObserver: AnyObject {
    /// Called when transactions were added to the queue or their state has changed.
    ///
    /// A newly added observer is called with the transactions that are already in the queue. Transactions
    /// that the app has not finished are delivered again the next time it starts.
    ///
    /// - Parameters:
    ///   - queue: The payment queue.
    ///   - updatedTransactions: The transactions in their current state, oldest first.
    func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    )

    /// Called once each time the storefront changes, that is, after a login, after a logout, and when the
    /// user's region changes.
    ///
    /// The default implementation has no effect.
    ///
    /// - Parameter queue: The payment queue.
    func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue)
}

extension OnsidePaymentTransactionObserver {
    /// Ignores the call.
    public func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue) {}
}
