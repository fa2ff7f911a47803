import LatchkeyAccounts
import LatchkeyModel

extension LimitedEvent {
    /// An account places an order.
    static func order(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("order", of: id, metric: .ordersPerAccount) { $0.ordersPerAccount }
    }

    /// A payment method is added to an account.
    static func paymentMethod(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("payment method", of: id, metric: .paymentMethodsPerAccount) {
            $0.paymentMethodsPerAccount
        }
    }

    /// A payment method is added from a network.
    static func paymentMethodFromNetwork(_ network: Network) -> LimitedEvent {
        LimitedEvent("payment method from address", of: network, metric: .paymentMethodsPerAddress) {
            $0.paymentMethodsPerAddress
        }
    }

    /// The purchases of an account are restored.
    static func restore(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("restore", of: id, metric: .restoresPerAccount) { $0.restoresPerAccount }
    }

    /// The purchase history of an account is signed.
    static func history(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("purchase history", of: id, metric: .historiesPerAccount) { $0.historiesPerAccount }
    }
}
