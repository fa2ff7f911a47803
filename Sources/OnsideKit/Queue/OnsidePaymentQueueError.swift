import Latchkey
import LatchkeyPurchases

/// An error returned by the payment queue.
public enum OnsidePaymentQueueError: Error, Hashable, Sendable {
    /// There is no session because the user dismissed the login or logged out, or because the login failed
    /// for another reason.
    case loginDiscarded
    /// ``Onside/initialize(configuration:)`` was not called.
    case notInitialized
    /// The product is not sold in the user's storefront.
    case productUnavailable
    /// The product's price differs from the price in the payment. Request the products again.
    case priceChanged
    /// The account already owns this non-consumable product. Restore the purchases instead.
    case alreadyPurchased
    /// Another payment for this non-consumable product is in progress.
    case purchasePending
    /// The account has no payment method, and the user did not add one.
    case paymentMethodRequired
    /// The server's response was lost. The payment is charged at most once. The transaction of this payment
    /// stays in the queue, and observers are notified when the outcome is known.
    case outcomeUnknown
    /// The server could not be reached or returned a server error. The associated value describes why.
    case network(String)
    /// The payment was not sent because it could not be stored on this device. The associated value describes
    /// why.
    case storage(String)
    /// The server rejected the request. The associated value describes why.
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

    /// Creates the error for a login that `withSession` presented.
    init(_ error: LatchkeyError) {
        switch error.code {
        case .storageFailed, .storageUnavailable: self = .storage(error.message)
        default: self = .loginDiscarded
        }
    }
}

extension OnsidePaymentQueueError: CustomStringConvertible {
    /// A description of the error, for developers.
    public var description: String {
        switch self {
        case .loginDiscarded: "The login ended without a session."
        case .notInitialized: "Onside.initialize(configuration:) was not called."
        case .productUnavailable: "The product is not sold in the storefront."
        case .priceChanged: "The price of the product has changed."
        case .alreadyPurchased: "The account already owns the product."
        case .purchasePending: "Another payment for the product is in progress."
        case .paymentMethodRequired: "The account has no payment method."
        case .outcomeUnknown: "The server's response was lost."
        case .network(let reason), .storage(let reason), .rejected(let reason): reason
        }
    }
}
