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
    private let lock: AccountLock
    private let random: any RandomSource

    /// Creates the service.
    init(catalog: ProductCatalog, lock: AccountLock, random: any RandomSource) {
        self.catalog = catalog
        self.lock = lock
        self.random = random
    }

    /// Creates a purchase for an order, or returns the purchase if the same order has already been accepted.
    ///
    /// The purchase is stored before the payment is made. The purchase is leased to the caller, who must
    /// charge it; see ``PurchaseProcessor``.
    ///
    /// - Throws: ``ServerError`` if the order is rejected, the session has ended or a limit has been reached,
    ///   or ``DatabaseError``.
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
                decision = OrderDecision(
                    request,
                    given: try facts(request, of: identity, in: context, transaction)
                )
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
                // The account is locked, so the unique indexes can only be violated because of a bug.
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

    /// Reads the data that is needed to decide whether to accept a new order.
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

    /// Returns the account's storefront.
    ///
    /// The region may have changed since the product was displayed.
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
    /// Reads the client's preferred languages.
    ///
    /// Returns `nil` if the request has no `Accept-Language` header.
    init?(of context: RequestContext) {
        guard let field = context.request.headers["Accept-Language"] else { return nil }
        self.init(field)
    }
}
