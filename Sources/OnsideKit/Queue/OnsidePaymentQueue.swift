import Latchkey
import LatchkeyCompat
import LatchkeyPurchases

/// The queue of payments and transactions, which ``Onside/defaultPaymentQueue()`` returns.
///
/// You can use ``storefront``, ``add(observer:)``, ``remove(observer:)`` and ``transactions`` on any thread.
public final class OnsidePaymentQueue: Sendable {
    private let list = Locked(TransactionList())
    /// Calls observers and completion handlers in order on the main actor.
    let jobs = MainActorQueue()
    private let observers: WeakObservers<any OnsidePaymentTransactionObserver>

    /// Creates an empty queue.
    init() {
        observers = WeakObservers(queue: jobs)
    }

    // MARK: The session

    /// The logged-in user's storefront, or `nil` if there is no session.
    public var storefront: OnsideStorefront? { Onside.runtime?.storefront }

    // MARK: Observers

    /// Adds an observer.
    ///
    /// The queue keeps only a weak reference to the observer. Adding the same observer again has no effect.
    ///
    /// This method can be called from the observer's initializer.
    ///
    /// - Parameter observer: The observer to add.
    public func add(observer: any OnsidePaymentTransactionObserver) {
        observers.add(observer, load: { [weak observer] in observer }) { [self] observer in
            let transactions = transactions
            if !transactions.isEmpty {
                observer.onsidePaymentQueue(self, updatedTransactions: transactions)
            }
        }
    }

    /// Removes an observer.
    ///
    /// The observer is not called again.
    ///
    /// This method can be called from the observer's deinitializer.
    ///
    /// - Parameter observer: The observer to remove. Observers are compared by identity.
    public func remove(observer: any OnsidePaymentTransactionObserver) {
        observers.remove(ObjectIdentifier(observer))
    }

    /// The number of registered observers, for tests.
    package var observerCount: Int { observers.count }

    // MARK: Transactions

    /// The transactions that the app has not finished yet, oldest first.
    public var transactions: [OnsidePaymentTransaction] { list.withLock { $0.transactions } }

    /// Adds a payment.
    ///
    /// If no user is logged in, a login is presented first. Observers are notified when the transaction is
    /// added and each time its state changes. If the account has no payment method, the user is asked to add
    /// one.
    ///
    /// - Parameters:
    ///   - payment: The payment to add.
    ///   - completion: Called once, on the main actor, after the observers have been notified. The result is
    ///     a success once the server has accepted the payment, regardless of the transaction's state.
    @MainActor public func add(
        _ payment: OnsidePayment,
        completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)? = nil
    ) {
        guard let runtime = Onside.runtime else {
            Onside.logMissingInitialization("add")
            return complete(completion, with: .failure(.notInitialized))
        }
        runtime.add(payment, completion: completion)
    }

    /// Restores the purchases of the account.
    ///
    /// If no user is logged in, a login is presented first. Observers are notified of the restored
    /// transactions. The state of these transactions is ``OnsidePaymentTransactionState/restored``.
    ///
    /// - Parameter completion: Called once, on the main actor, after the observers have been notified.
    @MainActor public func restoreCompletedTransactions(
        completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)? = nil
    ) {
        guard let runtime = Onside.runtime else {
            Onside.logMissingInitialization("restoreCompletedTransactions")
            return complete(completion, with: .failure(.notInitialized))
        }
        runtime.restore(completion: completion)
    }

    /// Finishes a transaction.
    ///
    /// Call this method after the app has delivered the product or shown the failure.
    ///
    /// The transaction is removed from the queue and is not delivered again. This method has no effect while
    /// the payment is still in progress.
    ///
    /// - Parameter transaction: The transaction to finish.
    @MainActor public func finishTransaction(_ transaction: OnsidePaymentTransaction) {
        guard let runtime = Onside.runtime else {
            return Onside.logMissingInitialization("finishTransaction")
        }
        guard let id = list.withLock({ $0.finish(transaction) }) else { return }
        runtime.finish(id)
    }

    // MARK: The runtime's members

    /// Enqueues an update of the transactions and the corresponding call to the observers.
    func enqueue(_ update: PurchaseUpdate) {
        jobs.add { [self] in
            notify(of: list.withLock { $0.apply(update) })
        }
    }

    /// Enqueues restored purchases and the corresponding call to the observers.
    func enqueueRestored(_ transactions: [StoreTransaction]) {
        jobs.add { [self] in
            notify(of: list.withLock { $0.restore(transactions) })
        }
    }

    /// Enqueues a call that notifies the observers of a changed storefront.
    func enqueueStorefrontChange() {
        jobs.add { [self] in
            observers.notify { $0.onsidePaymentQueueDidChangeStorefront(self) }
        }
    }

    /// Enqueues a call to a completion handler.
    func complete<Value: Sendable, Failure: Error>(
        _ completion: (@MainActor (Result<Value, Failure>) -> Void)?,
        with result: Result<Value, Failure>
    ) {
        guard let completion else { return }
        jobs.add { completion(result) }
    }

    @MainActor private func notify(of transactions: [OnsidePaymentTransaction]) {
        guard !transactions.isEmpty else { return }
        observers.notify { $0.onsidePaymentQueue(self, updatedTransactions: transactions) }
    }
}
