import Latchkey
import LatchkeyCompat
import LatchkeyPurchases

/// Connects the API of ``Onside`` with the underlying client, translating names and callbacks.
final class OnsideRuntime: Sendable {
    let client: LatchkeyClient
    private let purchases: Purchases
    private let queue: OnsidePaymentQueue
    private let completions: CompletionQueue
    private let clientID: String
    private let language: String
    private let log: OnsideLog
    private let storefronts = StorefrontTracker()
    private let presenter: RoutingPresenter
    private let manager: PaymentMethodsPresentation
    /// The observer of the client, or `nil` unless this runtime is connected to the queue.
    private let observer = Locked<ObserverToken?>(nil)
    /// Whether this runtime is connected to the queue.
    private let isConnected = Locked(false)

    /// Creates the client.
    ///
    /// Call ``start()`` to connect the client to the payment queue.
    ///
    /// - Parameters:
    ///   - configuration: The app's configuration.
    ///   - queue: The payment queue.
    ///   - logsOut: Whether to log out before anything uses a stored session.
    /// - Throws: ``OnsideConfigurationError`` if the client can't be created.
    @MainActor init(
        _ configuration: OnsideConfiguration,
        queue: OnsidePaymentQueue,
        logsOut: Bool
    ) throws(OnsideConfigurationError) {
        var clientConfiguration = configuration.client
        // As in the other compatibility modules, logging out sends no request.
        clientConfiguration.revokesSessions = false
        // The store app asks the server who the client is.
        if clientConfiguration.client == nil {
            clientConfiguration.client = ClientRegistration(id: configuration.clientID)
        }
        do throws(LatchkeyError) {
            client = try LatchkeyClient(clientConfiguration)
        } catch {
            throw OnsideConfigurationError(description: error.message)
        }
        if logsOut { client.signOut() }
        self.queue = queue
        log = OnsideLog(configuration.client.logger)
        clientID = configuration.clientID
        language = String((client.flows.languages.first ?? "en").prefix { $0 != "-" && $0 != "_" })
        completions = CompletionQueue(client: client, queue: queue.jobs)
        presenter = RoutingPresenter(configuration, log: log)
        purchases = Purchases(client)
        manager = PaymentMethodsPresentation(presenter: presenter, purchases: purchases)
        client.presenter = presenter
        client.appHandOff = { [presenter] in await presenter.handOff() }
        client.loginStart = .code(signUpSchema: configuration.signUpSchema)
    }

    /// Forwards the client's changes to the queue, and checks a stored session with the server.
    func start() {
        storefronts.start { [weak queue] in queue?.enqueueStorefrontChange() }
        // The closures are called while the client's locks are held. They must not hold the last reference to an
        // object that refers to the client.
        let token = client.onChange { [storefronts, queue, weak manager] event in
            storefronts.update(to: event.state.session.map { OnsideStorefront($0) })
            if event.state == .signedOut { queue.jobs.add { [weak manager] in manager?.cancel() } }
        }
        observer.withLock { $0 = token }
        isConnected.withLock { $0 = true }
        purchases.onUpdate { [queue, isConnected] update in
            if isConnected.withLock(\.self) { queue.enqueue(update) }
        }
        Task { [client] in
            do throws(LatchkeyError) {
                try await client.checkSession()
            } catch {
                // A network error does not end the session. The next request validates the session again.
            }
        }
    }

    /// Disconnects the client from the queue when another configuration replaces this one.
    @MainActor func stop() {
        isConnected.withLock { $0 = false }
        observer.withLock { $0 = nil }
        storefronts.stop()
        queue.enqueue(.cleared)
        manager.cancel()
    }

    /// The current storefront, or `nil` without a session.
    var storefront: OnsideStorefront? {
        client.sessionState.session.map { OnsideStorefront($0) }
    }

    /// The identifier of the logged-in user's account, masked as by the server.
    var account: String? {
        let traits = client.sessionState.session?.identity.traits
        if let phone = traits?.phone?.e164 { return phone.prefix(3) + "…" + phone.suffix(2) }
        let parts = traits?.email?.address.split(separator: "@", maxSplits: 1) ?? []
        return parts.count == 2 ? parts[0].prefix(1) + "…@" + parts[1] : nil
    }

    // MARK: Login

    func requestLogin(completion: (@MainActor (Result<Void, OnsideLoginError>) -> Void)?) {
        completions.run { [client, log] in
            do throws(LatchkeyError) {
                try await client.requestLogin()
                return .success(())
            } catch {
                log.discarded("requestLogin", because: error)
                return .failure(OnsideLoginError.loginDiscarded)
            }
        } completion: {
            completion?($0)
        }
    }

    func logout() {
        client.signOut()
    }

    /// Passes on a URL that leads to the app's callback address.
    func handle(_ url: String, at address: RedirectAddress) {
        _ = client.handle(url, at: address)
    }

    /// Completes the login that a URL belongs to.
    ///
    /// - Returns: Whether the URL has logged a user in.
    func completeLogin(with url: String, at address: RedirectAddress) async -> Bool {
        do throws(LatchkeyError) {
            return try await client.completeSignIn(with: url, at: address) != nil
        } catch {
            log.discarded("completeLogin", because: error)
            return false
        }
    }

    // MARK: Purchases

    @MainActor func add(
        _ payment: OnsidePayment,
        completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)?
    ) {
        let order = purchases.order(
            of: payment.productIdentifier,
            quantity: payment.quantity,
            price: payment.price
        )
        run("add", completion: completion) { [self] () async throws(PurchaseError) in
            let hasAsked = Locked(false)
            let transaction = try await purchases.buy(order) { [manager] error in
                let isFirst = hasAsked.withLock { hasAsked in
                    defer { hasAsked = true }
                    return !hasAsked
                }
                guard error.code == .paymentMethodRequired, isFirst else { return false }
                return await manager.present()
            }
            if transaction.state == .deferred, let approval = await presenter.approval(of: transaction) {
                try await purchases.confirm(transaction.id, approve: approval)
            }
        }
    }

    func restore(completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)?) {
        run("restoreCompletedTransactions", completion: completion) { [self] () async throws(PurchaseError) in
            let transactions = try await purchases.restore()
            if !transactions.isEmpty { queue.enqueueRestored(transactions) }
        }
    }

    func finish(_ id: StoreTransaction.ID) {
        Task { [purchases, log] in
            do throws(PurchaseError) {
                try await purchases.finish(id)
            } catch {
                log.write(.warning, name: "finish", message: "The transaction was not finished: \(error)")
            }
        }
    }

    @MainActor func presentPaymentMethods(
        completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)?
    ) {
        completions.run { [self] in
            do {
                try await client.withSession(because: .action("payment-methods")) { _ in }
            } catch {
                let error =
                    error as? LatchkeyError
                    ?? LatchkeyError(.refused, message: "The login failed.", cause: error)
                log.discarded("presentPaymentMethodsManager", because: error)
                return .failure(OnsidePaymentQueueError(error))
            }
            guard await manager.present() else {
                return .failure(.rejected("The presenter of the app was deallocated."))
            }
            guard client.sessionState.session != nil else {
                log.write(.info, name: "login", message: "presentPaymentMethodsManager: the user logged out.")
                return .failure(.loginDiscarded)
            }
            return .success(())
        } completion: {
            completion?($0)
        }
    }

    func requestProducts(
        _ ids: [String],
        completion: @escaping @MainActor (Result<OnsideProductsResponse, OnsidePaymentQueueError>) -> Void
    ) {
        completions.run(
            { [purchases, language] in
                do throws(PurchaseError) {
                    return .success(
                        OnsideProductsResponse(try await purchases.products(ids), language: language)
                    )
                } catch {
                    return .failure(OnsidePaymentQueueError(error))
                }
            },
            completion: completion
        )
    }

    func requestHistory(completion: @escaping @MainActor (Result<String, OnsideHistoryError>) -> Void) {
        completions.run(
            { [purchases, clientID] in
                do throws(PurchaseError) {
                    return .success(try await purchases.history(for: clientID))
                } catch {
                    return .failure(OnsideHistoryError(error))
                }
            },
            completion: completion
        )
    }

    /// Runs an action of the queue and then calls its completion handler.
    private func run(
        _ name: String,
        completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)?,
        action: @escaping @Sendable () async throws(PurchaseError) -> Void
    ) {
        completions.run { [log] in
            do throws(PurchaseError) {
                return .success(try await action())
            } catch {
                if error.code == .loginRequired, let cause = error.cause {
                    log.discarded(name, because: cause)
                }
                return .failure(OnsidePaymentQueueError(error))
            }
        } completion: {
            completion?($0)
        }
    }
}

extension OnsideLog {
    /// Logs why a login ended without a session.
    fileprivate func discarded(_ function: String, because error: LatchkeyError) {
        write(.info, name: "login", message: "\(function): the login was discarded (\(error)).")
    }
}

extension OnsideProductsResponse {
    fileprivate init(_ list: ProductList, language: String) {
        products = list.products.map { OnsideProduct($0, storefront: list.storefront, language: language) }
        invalidProductIdentifiers = list.unknownIDs
        storefront = OnsideStorefront(id: list.storefront.id, countryCode: list.storefront.countryCode)
        isGuess = list.storefront.isGuess
    }
}
