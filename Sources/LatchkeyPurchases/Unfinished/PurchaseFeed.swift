import LatchkeyModel

/// Stores the unfinished transactions that were delivered in this process and notifies the subscribers of
/// changes.
///
/// Each state of a transaction is delivered once. All subscribers receive the changes in the same order.
final class PurchaseFeed: Sendable {
    private struct State {
        /// The transactions that the app has not finished, oldest first.
        var transactions: [StoreTransaction] = []
        /// The transactions that the app has finished since this login.
        ///
        /// Lists that were requested before a transaction was finished may still contain the transaction.
        var finished: Set<StoreTransaction.ID> = []
        /// The keys of the orders that callers are currently sending.
        var ordersInProgress: Set<String> = []
        var streams: [UInt64: AsyncStream<StoreTransaction>.Continuation] = [:]
        var streamCount: UInt64 = 0
        var observers: [@Sendable (PurchaseUpdate) -> Void] = []
        /// Counts logins and logouts, so that deliveries for an earlier login can be recognized.
        var login = 0

        func notify(_ update: PurchaseUpdate) {
            for observer in observers { observer(update) }
        }

        /// Removes a transaction that is finished.
        mutating func remove(_ id: StoreTransaction.ID) {
            transactions.removeAll { $0.id == id }
            notify(.finished(id))
        }
    }

    private let state = Locked(State())

    deinit {
        for stream in state.withLock({ $0.streams.values }) { stream.finish() }
    }

    /// The transactions that the app has not finished, oldest first.
    var transactions: [StoreTransaction] { state.withLock { $0.transactions } }

    /// The transactions that the app has finished since this login.
    ///
    /// A transaction is added before the server and the record on this device are notified.
    var finished: Set<StoreTransaction.ID> { state.withLock { $0.finished } }

    /// A number that identifies the current login.
    var login: Int { state.withLock { $0.login } }

    /// Returns whether a caller is currently sending the order.
    func isInProgress(_ key: String) -> Bool {
        state.withLock { $0.ordersInProgress.contains(key) }
    }

    /// Resets the feed after a login or logout.
    func begin() {
        state.withLock { state in
            state.login += 1
            (state.transactions, state.finished) = ([], [])
            state.notify(.cleared)
        }
    }

    /// Adds an observer.
    ///
    /// If there are any current transactions, the observer receives them first.
    ///
    /// - Parameter observer: A closure that is called while a lock is held, so it must record the update and
    ///   return immediately.
    func observe(_ observer: @escaping @Sendable (PurchaseUpdate) -> Void) {
        state.withLock { state in
            if !state.transactions.isEmpty { observer(.changed(state.transactions)) }
            state.observers.append(observer)
        }
    }

    /// Returns a stream of transactions that starts with the current ones.
    func stream() -> AsyncStream<StoreTransaction> {
        AsyncStream { stream in
            let ticket = state.withLock { state in
                for transaction in state.transactions { stream.yield(transaction) }
                state.streamCount += 1
                state.streams[state.streamCount] = stream
                return state.streamCount
            }
            stream.onTermination = { [weak self] _ in
                self?.state.withLock { $0.streams[ticket] = nil }
            }
        }
    }

    /// Records that a caller is sending an order.
    func begin(_ order: PurchaseOrder) {
        state.withLock { _ = $0.ordersInProgress.insert(order.key) }
    }

    /// Notifies the observers that an order was stored and is about to be sent.
    func report(_ order: PurchaseOrder, login: Int) {
        state.withLock { state in
            if state.login == login { state.notify(.began(order)) }
        }
    }

    /// Records that an order was rejected or that its outcome is still unknown.
    func end(_ order: PurchaseOrder, with error: PurchaseError) {
        state.withLock { state in
            state.ordersInProgress.remove(order.key)
            if error.code != .outcomeUnknown { state.notify(.refused(order, error)) }
        }
    }

    /// Delivers the transaction that was created by an order.
    func complete(_ order: PurchaseOrder, with transaction: StoreTransaction, login: Int) {
        state.withLock { state in
            state.ordersInProgress.remove(order.key)
            guard state.login == login else { return }
            state.notify(.placed(order, transaction))
            if transaction.finishedAt != nil || state.finished.contains(transaction.id) {
                state.remove(transaction.id)
            }
        }
        deliver([transaction], login: login)
    }

    /// Delivers transactions whose current state has not been delivered yet.
    ///
    /// - Parameters:
    ///   - transactions: Transactions that were returned by the server or read from this device, oldest
    ///     first.
    ///   - login: The login during which the transactions were read. The transactions are ignored if the user
    ///     has since logged out or logged in again.
    func deliver(_ transactions: [StoreTransaction], login: Int) {
        state.withLock { state in
            guard state.login == login else { return }
            var changed: [StoreTransaction] = []
            for transaction in transactions where !state.finished.contains(transaction.id) {
                let index = state.transactions.firstIndex { $0.id == transaction.id }
                guard transaction.finishedAt == nil else {
                    if index != nil { state.remove(transaction.id) }
                    continue
                }
                if let index {
                    let former = state.transactions[index]
                    guard former.state != transaction.state, former.updatedAt <= transaction.updatedAt else {
                        continue
                    }
                    state.transactions[index] = transaction
                } else {
                    let place = state.transactions.firstIndex { $0.createdAt > transaction.createdAt }
                    state.transactions.insert(transaction, at: place ?? state.transactions.endIndex)
                }
                changed.append(transaction)
            }
            guard !changed.isEmpty else { return }
            state.notify(.changed(changed))
            for stream in state.streams.values {
                for transaction in changed { stream.yield(transaction) }
            }
        }
    }

    /// Removes transactions that the server no longer lists as unfinished, because they were finished elsewhere.
    func remove(_ ids: Set<StoreTransaction.ID>, login: Int) {
        guard !ids.isEmpty else { return }
        state.withLock { state in
            guard state.login == login else { return }
            for id in state.transactions.map(\.id) where ids.contains(id) { state.remove(id) }
        }
    }

    /// Removes a transaction that the app has finished.
    func finish(_ id: StoreTransaction.ID) {
        state.withLock { state in
            state.finished.insert(id)
            state.remove(id)
        }
    }

    /// Delivers a transaction again because the server rejected the app's attempt to finish it.
    func unfinish(_ id: StoreTransaction.ID) {
        state.withLock { _ = $0.finished.remove(id) }
    }
}
