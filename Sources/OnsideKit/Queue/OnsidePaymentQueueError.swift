import Latchkey
import LatchkeyPurchases

/// The error of an action of the payment queue.
public enum OnsidePaymentQueueError: Error, Hashable, Sendable {
    /// There is no session: the user dismissed the login or logged out, or the login ended for another reason.
    case loginDiscarded
    /// ``Onside/initialize(configuration:)`` was not called.
    case notInitialized
    /// The product is not sold at the storefront.
    case productUnavailable
    /// The product has another price than the one in the payment; request the products again.
    case priceChanged
    /// The account owns the product, which is bought once; restore the purchases.
    case alreadyPurchased
    /// The product is bought once, and another payment for it is in progress.
    case purchasePending
    /// The account has no payment method, and the user has not added one.
    case paymentMethodRequired
    /// The answer of the server was lost. The payment is charged at most once; its transaction stays in the queue, and
    /// observers are notified when the outcome is known.
    case outcomeUnknown
    /// The server could not be reached or failed; the associated value is the reason.
    case network(String)
    /// This device could not store the payment, which was therefore not sent; the associated value is the reason.
    case storage(String)
    /// The server rejected the request; the associated value is the reason.
    case rejected(String)
}

extension OnsidePaymentQueueError {
    init(_ error: PurchaseError) {
        switch error.code {
        case .loginRequired: self = .loginDiscarded
        case .productUnavailable: self = .productUnavailable
        case .priceChanged: self = .priceChanged
        case .alreadyPurchased: self = .alreadyPurchased
        case .purchasePending: self = .purchasePending
        case .paymentMethodRequired: self = .paymentMethodRequired
        case .outcomeUnknown: self = .outcomeUnknown
        case .unavailable, .cancelled: self = .network(error.message)
        case .storage, .tooManyUnfinished: self = .storage(error.message)
        default: self = .rejected(error.message)
        }
    }

    /// Creates the error of a login that `withSession` presented.
    init(_ error: LatchkeyError) {
        switch error.code {
        case .storageFailed, .storageUnavailable: self = .storage(error.message)
        default: self = .loginDiscarded
        }
    }
}

extension OnsidePaymentQueueError: CustomStringConvertible {
    /// A sentence for developers.
    public var description: String {
        switch self {
        case .loginDiscarded: "The login ended without a session."
        case .notInitialized: "Onside.initialize(configuration:) was not called."
        case .productUnavailable: "The product is not sold at the storefront."
        case .priceChanged: "The price of the product has changed."
        case .alreadyPurchased: "The account owns the product."
        case .purchasePending: "Another payment for the product is in progress."
        case .paymentMethodRequired: "The account has no payment method."
        case .outcomeUnknown: "The answer of the server was lost."
        case .network(let reason), .storage(let reason), .rejected(let reason): reason
        }
    }
}
