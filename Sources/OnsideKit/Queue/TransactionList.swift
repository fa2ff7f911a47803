import LatchkeyPurchases

/// The transactions in the payment queue.
///
/// Updating this value has no side effects.
struct TransactionList: Sendable {
    private struct Entry {
        var transaction: OnsidePaymentTransaction
        /// The identifier of the server's transaction, or `nil` until the server has accepted the order.
        var id: StoreTransaction.ID?
    }

    private var entries: [Entry] = []

    /// The transactions, in the order they were added.
    var transactions: [OnsidePaymentTransaction] { entries.map(\.transaction) }

    /// Applies an update.
    ///
    /// - Returns: The transactions to report to the observers.
    mutating func apply(_ update: PurchaseUpdate) -> [OnsidePaymentTransaction] {
        switch update {
        case .began(let order):
            guard !entries.contains(where: { $0.transaction.key == order.key }) else { return [] }
            let transaction = OnsidePaymentTransaction(order)
            entries.append(Entry(transaction: transaction))
            return [transaction]
        case .refused(let order, let error):
            guard let index = entries.firstIndex(where: { $0.transaction.key == order.key }) else {
                return []
            }
            entries[index].transaction = OnsidePaymentTransaction(
                order,
                error: OnsidePaymentQueueError(error)
            )
            return [entries[index].transaction]
        case .placed(let order, let transaction):
            guard let index = entries.firstIndex(where: { $0.transaction.key == order.key }) else {
                return []
            }
            entries[index].id = transaction.id
            return []
        case .changed(let transactions): return transactions.compactMap { self.update($0) }
        case .finished(let id):
            // The app may have restored the purchase before the server confirmed that it was finished.
            entries.removeAll { $0.id == id && $0.transaction.transactionState != .restored }
            return []
        case .cleared:
            entries = []
            return []
        }
    }

    /// Adds restored purchases, replacing transactions that have the same identifiers.
    ///
    /// - Returns: The transactions to report to the observers.
    mutating func restore(_ transactions: [StoreTransaction]) -> [OnsidePaymentTransaction] {
        let restored = transactions.map { OnsidePaymentTransaction($0, isRestored: true) }
        let ids = Set(transactions.map(\.id))
        entries.removeAll { $0.id.map { ids.contains($0) } ?? false }
        entries += restored.map { Entry(transaction: $0, id: $0.transactionIdentifier) }
        return restored
    }

    /// Removes a transaction that the app wants to finish.
    ///
    /// - Returns: The identifier of the server's transaction, or `nil` if the server does not have one, if
    ///   the transaction is not in the list, or if it is still in progress.
    mutating func finish(_ transaction: OnsidePaymentTransaction) -> StoreTransaction.ID? {
        let index = entries.firstIndex { entry in
            entry.transaction.key == transaction.key
                || entry.id != nil && entry.id == transaction.transactionIdentifier
        }
        guard let index, !entries[index].transaction.isPending else { return nil }
        return entries.remove(at: index).id
    }

    /// Adds a transaction or updates its state.
    ///
    /// - Returns: The transaction, or `nil` if observers already know this state.
    private mutating func update(_ transaction: StoreTransaction) -> OnsidePaymentTransaction? {
        guard let index = entries.firstIndex(where: { $0.id == transaction.id }) else {
            let added = OnsidePaymentTransaction(transaction)
            entries.append(Entry(transaction: added, id: transaction.id))
            return added
        }
        let former = entries[index].transaction
        let current = OnsidePaymentTransaction(transaction, key: former.key)
        entries[index].transaction = current
        return former.transactionState == current.transactionState ? nil : current
    }
}

extension OnsidePaymentTransaction {
    /// Whether the payment is still in progress.
    ///
    /// While the payment is in progress, the transaction cannot be finished.
    var isPending: Bool { transactionState == .purchasing || transactionState == .deferred }
}
