public import Latchkey

/// The purchases of the user's account: products, payment methods, orders, transactions and entitlements.
///
/// ```swift
/// let purchases = Purchases(latchkey)
/// let catalogue = try await purchases.products()
/// let transaction = try await purchases.buy(catalogue.products[0])
/// if transaction.state == .purchased { try await purchases.finish(transaction.id) }
/// ```
///
/// If the client follows the session's events (`followsSessionEvents`), changes by other devices and by the server arrive
/// within seconds.
///
/// Functions that need an account present a login if no user is logged in. A transaction that the app has not
/// finished is delivered in ``updates`` at every start, on every device of the account, until the app calls
/// ``finish(_:)``. Create one instance per client, and keep it for the lifetime of the process.
public final class Purchases: Sendable {
    let client: LatchkeyClient
    let api: CommerceAPI
    let record: PurchaseRecord
    let feed: PurchaseFeed
    let turns = OrderTurns()
    private let synchronizer: PurchaseSynchronizer

    /// Creates an instance, and requests the unfinished transactions in the background if a user is logged in.
    ///
    /// - Parameter client: The client whose user makes purchases.
    public init(_ client: LatchkeyClient) {
        self.client = client
        api = CommerceAPI(client)
        record = PurchaseRecord(client)
        feed = PurchaseFeed()
        synchronizer = PurchaseSynchronizer(client: client, api: api, record: record, feed: feed)
        client.onChange { [weak feed, weak synchronizer] event in
            switch event.state {
            case .signedIn where event.isNewSession:
                feed?.begin()
                synchronizer?.start()
            case .signedOut:
                synchronizer?.stop()
                feed?.begin()
            case .signedIn, .unavailable: break
            }
        }
        client.onSessionEvent { [weak synchronizer] event in
            if event == .transactionsChanged { synchronizer?.runAgain() }
        }
    }

    deinit {
        synchronizer.stop()
    }

    // MARK: Transactions

    /// The transactions that the app has not finished, each once for every state.
    ///
    /// Each access returns a stream of its own. It begins with the current transactions, oldest first, and includes
    /// the results of ``buy(_:quantity:paymentMethod:because:)``. It ends with this instance.
    public var updates: AsyncStream<StoreTransaction> { feed.stream() }

    /// The transactions that the app has not finished, oldest first, as far as this process knows them.
    public var unfinishedTransactions: [StoreTransaction] { feed.transactions }

    /// Requests the unfinished transactions; call it when the app enters the foreground.
    ///
    /// Orders whose outcome is not known are repeated first. Returns at once if no user is logged in.
    ///
    /// - Throws: ``PurchaseError``; the request is then repeated in the background.
    @concurrent public func refresh() async throws(PurchaseError) {
        try await synchronizer.refresh()
    }

    /// Finishes a transaction, after the app has delivered the product or shown the failure.
    ///
    /// The transaction is not delivered again. If the server cannot be reached, this device remembers that, and
    /// informs the server later. Finishing a transaction again has no effect.
    ///
    /// - Parameter id: The identifier of the transaction.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/transactionPending`` before the payment is completed,
    ///   and ``PurchaseError/Code/loginRequired`` if no user is logged in.
    @concurrent public func finish(_ id: StoreTransaction.ID) async throws(PurchaseError) {
        let login = feed.login
        feed.finish(id)
        var isStored = true
        do throws(LatchkeyError) {
            try await record.update { $0.finish(id) }
        } catch {
            if error.concernsSession { throw PurchaseError(error) }
            isStored = false
        }
        do throws(PurchaseError) {
            _ = try await perform(.never) { [api] access in try await api.finish(id, as: access) }
        } catch {
            if error.code == .unavailable || error.code == .cancelled, isStored {
                synchronizer.retryLater()
                return
            }
            await forgetFinished(id)
            feed.unfinish(id)
            if error.code == .transactionPending, let transaction = try? await self.transaction(id) {
                feed.deliver([transaction], login: login)
            }
            throw error
        }
        await forgetFinished(id)
    }

    /// Removes the note that the server has to be informed of a finished transaction.
    private func forgetFinished(_ id: StoreTransaction.ID) async {
        do throws(LatchkeyError) {
            try await record.update { $0.forgetFinished(id) }
        } catch {
            // The server is informed once more, which has no effect.
        }
    }

    /// Returns the account's transactions, oldest first.
    ///
    /// - Parameter unfinishedOnly: Whether to omit the transactions that an app has finished.
    /// - Returns: The transactions.
    /// - Throws: ``PurchaseError``.
    @concurrent public func transactions(
        unfinishedOnly: Bool = false
    ) async throws(PurchaseError) -> [StoreTransaction] {
        try await perform { [api] access in
            try await api.transactions(unfinishedOnly: unfinishedOnly, as: access)
        }
    }

    /// Returns the present state of a transaction.
    ///
    /// - Parameter id: The identifier of the transaction.
    /// - Returns: The transaction.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/notFound``.
    @concurrent public func transaction(
        _ id: StoreTransaction.ID
    ) async throws(PurchaseError) -> StoreTransaction {
        try await perform { [api] access in try await api.transaction(id, as: access) }
    }

    /// Confirms or denies a payment that waits for a confirmation.
    ///
    /// It stands in for the page of a card's issuer, and has no effect in other states.
    ///
    /// - Parameters:
    ///   - id: The identifier of the transaction.
    ///   - approve: Whether the payment is approved.
    /// - Returns: The transaction in its present state.
    /// - Throws: ``PurchaseError``.
    @discardableResult
    @concurrent public func confirm(
        _ id: StoreTransaction.ID,
        approve: Bool
    ) async throws(PurchaseError) -> StoreTransaction {
        let login = feed.login
        let transaction = try await perform { [api] access in
            try await api.confirm(id, approve: approve, as: access)
        }
        await note([transaction], login: login)
        return transaction
    }

    // MARK: The account's products

    /// Returns the purchases to restore: those of non-consumable products that were not refunded.
    ///
    /// - Returns: The transactions, whether finished or not.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/loginRequired``.
    @concurrent public func restore() async throws(PurchaseError) -> [StoreTransaction] {
        try await perform(because: .action("restore")) { [api] access in try await api.restore(as: access) }
    }

    /// Returns the products that the account owns.
    ///
    /// - Returns: The entitlements.
    /// - Throws: ``PurchaseError``.
    @concurrent public func entitlements() async throws(PurchaseError) -> [Entitlement] {
        try await perform { [api] access in try await api.entitlements(as: access) }
    }

    /// Returns the account's purchases as a signed document, which the app's own server verifies.
    ///
    /// The document is a JSON Web Signature (RFC 7515) in compact form, valid for an hour. The keys are published at
    /// `/.well-known/jwks.json`.
    ///
    /// - Parameters:
    ///   - audience: The identifier of the app's server, which must compare it with the claim `aud`.
    ///   - policy: Whether to present a login if no user is logged in.
    /// - Returns: The signed document.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/loginRequired``.
    @concurrent public func history(
        for audience: String,
        _ policy: LoginPolicy = .never
    ) async throws(PurchaseError) -> String {
        try await perform(policy) { [api] access in try await api.history(for: audience, as: access) }
    }

    // MARK: Requests

    /// Runs requests as the user, and presents a login first if the policy permits it.
    func perform<Value: Sendable>(
        _ policy: LoginPolicy = .onDemand,
        because reason: LoginReason = .action("account"),
        replay: Replay = .ifNotSent,
        requests: @Sendable (SessionAccess) async throws -> Value
    ) async throws(PurchaseError) -> Value {
        do {
            return try await client.withSession(policy, because: reason, replay: replay, action: requests)
        } catch {
            throw PurchaseError(error)
        }
    }

    /// Stores and delivers transactions that the server has returned.
    func note(_ transactions: [StoreTransaction], login: Int) async {
        do throws(LatchkeyError) {
            try await record.update { $0.update(transactions) }
        } catch {
            // The server has the same transactions; this device only cannot deliver them without a network.
        }
        feed.deliver(transactions, login: login)
        if transactions.contains(where: { $0.state.isPending }) { synchronizer.retryLater() }
    }

    /// Repeats orders without a known outcome later.
    func retryLater() {
        synchronizer.retryLater()
    }
}

extension Purchases {
    /// Adds an observer of all changes, beginning with the current transactions if there are any.
    ///
    /// - Parameter observer: Called for the changes in order, under the lock that orders them; it must only record the
    ///   change and return.
    package func onUpdate(_ observer: @escaping @Sendable (PurchaseUpdate) -> Void) {
        feed.observe(observer)
    }
}
