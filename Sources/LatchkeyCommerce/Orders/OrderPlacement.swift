import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Accepts orders and creates at most one purchase for each of them.
struct OrderPlacement: Sendable {
    /// The result of an order that was accepted.
    struct Placed: Sendable {
        /// The purchase in its current state.
        let purchase: Purchase
        /// Whether the purchase was created by this order.
        let isNew: Bool
    }

    private let catalog: ProductCatalog
    private let database: any Database
    private let limiter: Limiter
    private let stepUp: StepUp
    private let random: any RandomSource

    /// Creates the service.
    init(
        catalog: ProductCatalog,
        database: any Database,
        limiter: Limiter,
        stepUp: StepUp,
        random: any RandomSource
    ) {
        self.catalog = catalog
        self.database = database
        self.limiter = limiter
        self.stepUp = stepUp
        self.random = random
    }

    /// Creates a purchase for an order, or returns the purchase if the same order has already been accepted.
    ///
    /// The purchase is stored before the payment is made. The purchase is leased to the caller, who must
    /// charge it; see ``PurchaseProcessor``.
    ///
    /// - Throws: ``ServerError`` if the order is rejected, the session has ended, the account isn't confirmed,
    ///   the order needs a step-up or a limit has been reached, or ``DatabaseError``.
    func place(
        _ request: OrderRequest,
        for found: AuthenticatedSession,
        in context: RequestContext
    ) async throws -> Placed {
        let id = Identifier(random: random)
        let account = found.session.identityID
        let placed: Result<Placed, ServerError> = try await found.change(
            in: database,
            at: context.now
        ) { transaction in
            // A repeated request only returns what an earlier request has bought, so it isn't checked again.
            if let earlier = try PurchaseRepository.find(key: request.key, of: account, in: transaction) {
                if case .refuse(let refusal) = OrderDecision(request, repeating: earlier) {
                    return .failure(refusal.error)
                }
                return .success(Placed(purchase: earlier, isNew: false))
            }
            let identity = try Identity.confirmed(account, in: transaction)
            try limiter.require([.order(account)], at: context.now, in: transaction)
            // From here on, a refusal is an outcome and not an error, so that the order stays counted.
            let storefront = catalog.storefront(of: identity.region)
            switch OrderDecision(request, given: try facts(request, of: account, in: storefront, transaction))
            {
            case .repeated(let purchase): return .success(Placed(purchase: purchase, isNew: false))
            case .refuse(let refusal): return .failure(refusal.error)
            case .buy(let product, let price, let method):
                let purchase = Purchase(
                    id: id,
                    identityID: account,
                    idempotencyKey: request.key,
                    fingerprint: request.fingerprint,
                    productID: product.id,
                    kind: product.kind,
                    quantity: request.quantity,
                    price: price,
                    region: storefront.region,
                    paymentMethodID: method.id,
                    paymentToken: method.token,
                    state: PurchaseState(.purchasing),
                    createdAt: context.now,
                    updatedAt: context.now,
                    purchasedAt: nil,
                    refundedAt: nil,
                    finishedAt: nil,
                    dueAt: context.now + PurchaseProcessor.lease,
                    version: 0,
                    detachedAt: nil
                )
                if let total = purchase.total,
                    let refusal = try stepUp.refusal(
                        of: total,
                        for: found,
                        of: identity,
                        at: context.now,
                        in: transaction
                    )
                {
                    return .failure(refusal)
                }
                // The account is locked, so the unique indexes can only be violated because of a bug.
                guard try PurchaseRepository.insert(purchase, in: transaction) else {
                    throw DatabaseError(
                        .conflict,
                        message: "A purchase with the same key was stored concurrently."
                    )
                }
                return .success(Placed(purchase: purchase, isNew: true))
            }
        }
        return try placed.get()
    }

    /// Reads the data that is needed to decide whether to accept a new order.
    ///
    /// The account's region may have changed since the product was displayed.
    private func facts(
        _ request: OrderRequest,
        of identity: Identifier,
        in storefront: Storefront,
        _ transaction: borrowing Transaction
    ) throws -> OrderDecision.Facts {
        OrderDecision.Facts(
            offer: catalog.product(request.productID, in: storefront),
            owned: try PurchaseRepository.open(request.productID, of: identity, in: transaction)?.state.state,
            paymentMethods: try PaymentMethodRepository.all(of: identity, in: transaction)
        )
    }
}

extension LanguageRanges {
    /// Reads the client's preferred languages.
    ///
    /// Returns `nil` if the request has no `Accept-Language` header.
    init?(of context: RequestContext) {
        guard let field = context.request.headers["Accept-Language"] else { return nil }
        self.init(field)
    }
}
