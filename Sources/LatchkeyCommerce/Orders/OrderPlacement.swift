import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Accepts orders, each of which begins at most one purchase.
struct OrderPlacement: Sendable {
    /// The result of an order that was not refused.
    struct Placed: Sendable {
        /// The purchase in its present state.
        let purchase: Purchase
        /// Whether this order has begun the purchase.
        let isNew: Bool
    }

    private let catalog: ProductCatalog
    private let lock: AccountLock
    private let random: any RandomSource

    /// Creates the service.
    init(catalog: ProductCatalog, lock: AccountLock, random: any RandomSource) {
        self.catalog = catalog
        self.lock = lock
        self.random = random
    }

    /// Begins the purchase of an order, or returns the purchase that the same order has begun before.
    ///
    /// The purchase is stored before any money moves. It is leased to the caller, who charges it; see
    /// ``PurchaseProcessor``.
    ///
    /// - Throws: ``ServerError`` if the order is refused, the session has ended or a limit is reached;
    ///   ``DatabaseError``.
    func place(
        _ request: OrderRequest,
        for found: SessionRepository.Found,
        in context: RequestContext
    ) async throws -> Placed {
        let id = Identifier(random: random)
        return try await lock.change(for: found, in: context) { transaction in
            let identity = found.session.identityID
            let earlier = try PurchaseRepository.find(key: request.key, of: identity, in: transaction)
            let decision: OrderDecision
            if let earlier {
                decision = OrderDecision(request, repeating: earlier)
            } else {
                try lock.count([.order(identity)], at: context.now, in: transaction)
                decision = OrderDecision(request, try facts(request, of: identity, in: context, transaction))
            }
            switch decision {
            case .repeated(let purchase): return Placed(purchase: purchase, isNew: false)
            case .refuse(let refusal): throw refusal.error
            case .buy(let product, let price, let method):
                let purchase = Purchase(
                    id: id,
                    identityID: identity,
                    idempotencyKey: request.key,
                    fingerprint: request.fingerprint,
                    productID: product.id,
                    kind: product.kind,
                    quantity: request.quantity,
                    price: price,
                    region: try storefront(of: identity, in: context, transaction).region,
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
                // The account is locked, so only a defect of the server can violate the unique indexes.
                guard try PurchaseRepository.insert(purchase, in: transaction) else {
                    throw DatabaseError(
                        .conflict,
                        message: "A purchase with the same key was stored concurrently."
                    )
                }
                return Placed(purchase: purchase, isNew: true)
            }
        }
    }

    /// Reads the data on which the decision about a new order depends.
    private func facts(
        _ request: OrderRequest,
        of identity: Identifier,
        in context: RequestContext,
        _ transaction: borrowing Transaction
    ) throws -> OrderDecision.Facts {
        let storefront = try storefront(of: identity, in: context, transaction)
        return OrderDecision.Facts(
            offer: catalog.product(request.productID, in: storefront),
            owned: try PurchaseRepository.open(request.productID, of: identity, in: transaction)?.state.state,
            paymentMethods: try PaymentMethodRepository.all(of: identity, in: transaction)
        )
    }

    /// Returns the storefront of the account, whose region may have changed since the product was shown.
    private func storefront(
        of identity: Identifier,
        in context: RequestContext,
        _ transaction: borrowing Transaction
    ) throws -> Storefront {
        let region = try IdentityRepository.load(identity, in: transaction)?.region
        return catalog.storefront(of: region, guessedFrom: LanguageRanges(of: context))
    }
}

extension LanguageRanges {
    /// Reads the preferred languages of a client; `nil` if it has sent none.
    init?(of context: RequestContext) {
        guard let field = context.request.headers["Accept-Language"] else { return nil }
        self.init(field)
    }
}
