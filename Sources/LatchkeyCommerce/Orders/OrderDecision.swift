import LatchkeyModel
import LatchkeyWire

/// The decision about an order.
enum OrderDecision: Hashable, Sendable {
    /// The order was accepted before.
    case repeated(Purchase)
    /// The order is refused and no purchase begins.
    case refuse(OrderRefusal)
    /// A purchase begins.
    case buy(Product, price: Money, PaymentMethod)

    /// The data from the catalog and the database on which the decision depends.
    struct Facts: Sendable {
        /// The product with its price in the storefront of the account; `nil` if it is not sold there.
        var offer: (product: Product, price: Money)?
        /// The state of the purchase with which the account owns the product or is about to buy it.
        var owned: TransactionState?
        /// The payment methods of the account.
        var paymentMethods: [PaymentMethod]
    }

    /// Decides about an order whose key was used before.
    init(_ request: OrderRequest, repeating earlier: Purchase) {
        self = earlier.fingerprint == request.fingerprint ? .repeated(earlier) : .refuse(.keyReused)
    }

    /// Decides about an order with a new key.
    init(_ request: OrderRequest, _ facts: Facts) {
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
