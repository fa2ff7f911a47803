public import Latchkey

/// Provides the purchases of the user's account: products, payment methods, orders, transactions and
/// entitlements.
///
/// ```swift
/// let purchases = Purchases(latchkey)
/// let catalogue = try await purchases.products()
/// let transaction = try await purchases.buy(catalogue.products[0])
/// if transaction.state == .purchased { try await purchases.finish(transaction.id) }
/// ```
///
/// If the client follows the session's events (`followsSessionEvents`), changes made by other devices or the
/// server are delivered within seconds.
///
/// Functions that need an account present a login if no user is logged in. A transaction that the app has not
/// finished is delivered through ``updates`` each time the app starts, on each of the account's devices,
/// until the app calls ``finish(_:)``. Create one instance per client and keep it for the lifetime of the
/// process.
public final class Purchases: Sendable {
    let client: LatchkeyClient
    let api: CommerceAPI
    let record: PurchaseRecord
    let feed: PurchaseFeed
    let turns = OrderTurns()
    private let synchronizer: PurchaseSynchronizer
    private let observers: [ObserverToken]

    /// Creates an instance.
    ///
    /// If a user is logged in, the unfinished transactions are requested in the background.
    ///
    /// - Parameter client: The client whose user makes the purchases.
    public init(_ client: LatchkeyClient) {
        self.client = client
        api = CommerceAPI(client)
        record = PurchaseRecord(client)
        feed = PurchaseFeed()
        synchronizer = PurchaseSynchronizer(client: client, api: api, record: record, feed: feed)
        let changes = client.onChange { [weak feed, weak synchronizer] event in
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
        let events = client.onSessionEvent { [weak synchronizer] event in
            if event == .transactionsChanged { synchronizer?.runAgain() }
        }
        observers = [changes, events]
    }

    deinit {
        synchronizer.stop()
    }

    /// The identity server's host, which screens that ask for a card show.
    package var serverHost: String { client.flows.serverHost }

    // MARK: Transactions

    /// A stream of the transactions that the app has not finished, with one element for each new state.
    ///
    /// Each access returns a new stream. The stream starts with the current transactions, oldest first, and
    /// also delivers the results of ``buy(_:quantity:paymentMethod:because:)``. The stream finishes when this
    /// instance is deallocated.
    public var updates: AsyncStream<StoreTransaction> { feed.stream() }

    /// The transactions that this process knows of and that the app has not finished, oldest first.
    public var unfinishedTransactions: [StoreTransaction] { feed.transactions }

    /// Requests the unfinished transactions.
    ///
    /// Call this function when the app enters the foreground.
    ///
    /// Orders whose outcome is unknown are sent again first. If no user is logged in, this function returns
    /// immediately.
    ///
    /// - Throws: ``PurchaseError``. After an error, the request is retried in the background.
    @concurrent public func refresh() async throws(PurchaseError) {
        try await synchronizer.refresh()
    }

    /// Finishes a transaction.
    ///
    /// Call this function after the app has delivered the product or shown the failure.
    ///
    /// The transaction is not delivered again. If the server cannot be reached, this device remembers the
    /// call and notifies the server later. Finishing a transaction again has no effect.
    ///
    /// - Parameter id: The transaction's identifier.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/transactionPending`` if the payment has not
    ///   completed, and ``PurchaseError/Code/loginRequired`` if no user is logged in.
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
            if isStored, error.code != .loginRequired, error.cause?.refusesFinish != true {
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

    /// Removes the reminder to notify the server about a finished transaction.
    private func forgetFinished(_ id: StoreTransaction.ID) async {
        do throws(LatchkeyError) {
            try await record.update { $0.forgetFinished(id) }
        } catch {
            // The server will be notified again, which has no effect.
        }
    }

    /// Returns the account's transactions, oldest first.
    ///
    /// - Parameter unfinishedOnly: Whether to leave out transactions that an app has already finished.
    /// - Returns: The account's transactions.
    /// - Throws: ``PurchaseError``.
    @concurrent public func transactions(
        unfinishedOnly: Bool = false
    ) async throws(PurchaseError) -> [StoreTransaction] {
        try await perform { [api] access in
            let listed = try await api.transactions(unfinishedOnly: unfinishedOnly, as: access)
            guard listed.unreadableIDs.isEmpty else { throw LatchkeyError.incompleteAnswer }
            return listed.elements
        }
    }

    /// Returns the current state of a transaction.
    ///
    /// - Parameter id: The transaction's identifier.
    /// - Returns: The transaction in its current state.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/notFound``.
    @concurrent public func transaction(
        _ id: StoreTransaction.ID
    ) async throws(PurchaseError) -> StoreTransaction {
        try await perform { [api] access in try await api.transaction(id, as: access) }
    }

    /// Approves or denies a payment that is waiting for confirmation.
    ///
    /// This function replaces the card issuer's confirmation page. If the payment isn't waiting for
    /// confirmation, this function has no effect.
    ///
    /// - Parameters:
    ///   - id: The transaction's identifier.
    ///   - approve: `true` to approve the payment, `false` to deny it.
    /// - Returns: The transaction in its current state.
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

    /// Returns the purchases to restore, which are the purchases of non-consumable products that were not
    /// refunded.
    ///
    /// - Returns: The transactions, including finished ones.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/loginRequired``.
    @concurrent public func restore() async throws(PurchaseError) -> [StoreTransaction] {
        try await perform(because: .action("restore")) { [api] access in try await api.restore(as: access) }
    }

    /// Returns the products that the account currently owns.
    ///
    /// - Returns: An entitlement for each product that the account owns.
    /// - Throws: ``PurchaseError``.
    @concurrent public func entitlements() async throws(PurchaseError) -> [Entitlement] {
        try await perform { [api] access in try await api.entitlements(as: access) }
    }

    /// Returns the account's purchases as a signed document that the app's own server can verify.
    ///
    /// The document is a JSON Web Signature (RFC 7515) in compact form and is valid for an hour. The keys are
    /// published at `/.well-known/jwks.json`.
    ///
    /// - Parameters:
    ///   - audience: The identifier of the app's server. The server must compare its identifier with the
    ///     `aud` claim.
    ///   - policy: Determines whether to present a login if no user is logged in.
    /// - Returns: The document in compact form.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/loginRequired``.
    @concurrent public func history(
        for audience: String,
        _ policy: LoginPolicy = .never
    ) async throws(PurchaseError) -> String {
        try await perform(policy) { [api] access in try await api.history(for: audience, as: access) }
    }

    // MARK: Requests

    /// Performs requests as the user.
    ///
    /// If the policy allows it, a login is presented first.
    func perform<Value: Sendable>(
        _ policy: LoginPolicy = .onDemand,
        because reason: LoginReason = .action("account"),
        retry: RetryPolicy = .ifNotSent,
        requests: @Sendable (SessionAccess) async throws -> Value
    ) async throws(PurchaseError) -> Value {
        do {
            return try await client.withSession(policy, because: reason, retry: retry, action: requests)
        } catch {
            throw PurchaseError(error)
        }
    }

    /// Stores and delivers transactions that the server has returned.
    func note(_ transactions: [StoreTransaction], login: Int) async {
        do throws(LatchkeyError) {
            try await record.update { [feed] in $0.update(transactions, except: feed.finished) }
        } catch {
            // The server still has these transactions, but this device cannot deliver them while it is
            // offline.
        }
        feed.deliver(transactions, login: login)
        if transactions.contains(where: { $0.state.isPending }) { synchronizer.retryLater() }
    }

    /// Schedules another attempt to send the orders whose outcome is unknown.
    func retryLater() {
        synchronizer.retryLater()
    }
}

extension Purchases {
    /// Adds an observer of all changes, starting with the current transactions if there are any.
    ///
    /// - Parameter observer: Called for each change in order, while a lock is held. The closure must only
    ///   record the change and return.
    package func onUpdate(_ observer: @escaping @Sendable (PurchaseUpdate) -> Void) {
        feed.observe(observer)
    }
}
