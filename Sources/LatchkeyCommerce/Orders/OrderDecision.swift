import LatchkeyModel
import LatchkeyWire

/// Whether an order is accepted.
enum OrderDecision: Hashable, Sendable {
    /// The order has already been accepted.
    case repeated(Purchase)
    /// The order is rejected, and no purchase is created.
    case refuse(OrderRefusal)
    /// The order is accepted, and a purchase is created.
    case buy(Product, price: Money, PaymentMethod)

    /// The data from the catalog and the database that the decision depends on.
    struct Facts: Sendable {
        /// The product and its price in the account's storefront, or `nil` if it isn't sold there.
        var offer: (product: Product, price: Money)?
        /// The state of an existing purchase of the product that either succeeded or is still in progress.
        var owned: TransactionState?
        /// The payment methods of the account.
        var paymentMethods: [PaymentMethod]
    }

    /// Decides whether to accept an order whose idempotency key has been used before.
    init(_ request: OrderRequest, repeating earlier: Purchase) {
        self = earlier.fingerprint == request.fingerprint ? .repeated(earlier) : .refuse(.keyReused)
    }

    /// Decides whether to accept an order with a new idempotency key.
    init(_ request: OrderRequest, given facts: Facts) {
        guard let (product, price) = facts.offer else {
            self = .refuse(.unavailable)
            return
        }
        if product.kind == .nonConsumable {
            if request.quantity > 1 {
                self = .refuse(.tooManyUnits)
                return
            }
            if let owned = facts.owned {
                self = .refuse(owned == .purchased ? .alreadyPurchased : .pending)
                return
            }
        }
        if let shown = request.shownPrice, shown != price {
            self = .refuse(.priceChanged)
            return
        }
        let method = facts.paymentMethods.first { method in
            request.paymentMethod.map { $0 == method.id } ?? method.isDefault
        }
        self = method.map { .buy(product, price: price, $0) } ?? .refuse(.noPaymentMethod)
    }
}
