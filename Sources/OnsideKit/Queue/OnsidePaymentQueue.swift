import Latchkey
import LatchkeyCompat
import LatchkeyPurchases

/// The queue of payments and transactions; ``Onside/defaultPaymentQueue()`` returns it.
///
/// ``storefront``, ``add(observer:)``, ``remove(observer:)`` and ``transactions`` can be used on any thread.
public final class OnsidePaymentQueue: Sendable {
    private let list = Locked(TransactionList())
    /// Orders the notifications of observers and the completions.
    let jobs = MainActorQueue()
    private let observers: WeakObservers<any OnsidePaymentTransactionObserver>

    /// Creates an empty queue.
    init() {
        observers = WeakObservers(queue: jobs)
    }

    // MARK: The session

    /// The storefront of the user who is logged in; `nil` exactly while there is no session.
    public var storefront: OnsideStorefront? { Onside.runtime?.storefront }

    // MARK: Observers

    /// Adds an observer, which is held weakly; adding it again has no effect.
    ///
    /// Can be called from the observer's `init`.
    ///
    /// - Parameter observer: The observer.
    public func add(observer: any OnsidePaymentTransactionObserver) {
        observers.add(observer, load: { [weak observer] in observer }) { [self] observer in
            let transactions = transactions
            if !transactions.isEmpty {
                observer.onsidePaymentQueue(self, updatedTransactions: transactions)
            }
        }
    }

    /// Removes an observer, which is not notified again.
    ///
    /// Can be called from the observer's `deinit`.
    ///
    /// - Parameter observer: The observer, which is identified by its address.
    public func remove(observer: any OnsidePaymentTransactionObserver) {
        observers.remove(ObjectIdentifier(observer))
    }

    /// The number of entries for observers; for tests.
    package var observerCount: Int { observers.count }

    // MARK: Transactions

    /// The transactions that the app has not finished, oldest first.
    public var transactions: [OnsidePaymentTransaction] { list.withLock { $0.transactions } }

    /// Adds a payment, after a login if no user is logged in.
    ///
    /// Observers are notified of the transaction and its changes. If the account has no payment method, the user is asked
    /// to add one.
    ///
    /// - Parameters:
    ///   - payment: The payment.
    ///   - completion: Called once, on the main actor, after the observers: with success when the server has accepted the
    ///     payment, whatever the state of its transaction.
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

    /// Restores the purchases of the account, after a login if no user is logged in.
    ///
    /// Observers are notified of the transactions, whose state is ``OnsidePaymentTransactionState/restored``.
    ///
    /// - Parameter completion: Called once, on the main actor, after the observers.
    @MainActor public func restoreCompletedTransactions(
        completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)? = nil
    ) {
        guard let runtime = Onside.runtime else {
            Onside.logMissingInitialization("restoreCompletedTransactions")
            return complete(completion, with: .failure(.notInitialized))
        }
        runtime.restore(completion: completion)
    }

    /// Finishes a transaction, after the app has delivered the product or shown the failure.
    ///
    /// The transaction is removed from the queue and is not delivered again. Has no effect on a transaction whose payment
    /// is in progress.
    ///
    /// - Parameter transaction: The transaction.
    @MainActor public func finishTransaction(_ transaction: OnsidePaymentTransaction) {
        guard let runtime = Onside.runtime else {
            return Onside.logMissingInitialization("finishTransaction")
        }
        guard let id = list.withLock({ $0.finish(transaction) }) else { return }
        runtime.finish(id)
    }

    // MARK: The runtime's members

    /// Enqueues a change of the transactions, and the notification of it.
    func enqueue(_ update: PurchaseUpdate) {
        jobs.add { [self] in
            notify(of: list.withLock { $0.apply(update) })
        }
    }

    /// Enqueues restored purchases, and the notification of them.
    func enqueueRestored(_ transactions: [StoreTransaction]) {
        jobs.add { [self] in
            notify(of: list.withLock { $0.restore(transactions) })
        }
    }

    /// Enqueues the notification that the storefront has changed.
    func enqueueStorefrontChange() {
        jobs.add { [self] in
            observers.notify { $0.onsidePaymentQueueDidChangeStorefront(self) }
        }
    }

    /// Enqueues a completion.
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
