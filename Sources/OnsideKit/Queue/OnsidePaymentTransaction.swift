import LatchkeyModel
import LatchkeyPurchases

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A state of a transaction.
public enum OnsidePaymentTransactionState: Hashable, Sendable {
    /// The payment is in progress.
    case purchasing
    /// The product was paid for: deliver it, then finish the transaction.
    case purchased
    /// The payment failed: finish the transaction.
    case failed
    /// The product was bought before: deliver it again, then finish the transaction.
    case restored
    /// The payment waits for a confirmation.
    case deferred
}

/// A transaction in the payment queue: a value that does not change; observers receive a new one for each change.
public struct OnsidePaymentTransaction: Hashable, Sendable {
    /// The identifier of the transaction on the server; `nil` until the server has accepted the payment.
    public let transactionIdentifier: String?

    /// The state.
    public let transactionState: OnsidePaymentTransactionState

    /// The payment.
    public let payment: OnsidePayment

    /// The time of the payment, or of the order before that.
    public let transactionDate: Date?

    /// The reason of the state ``OnsidePaymentTransactionState/failed``; `nil` in other states.
    public let error: OnsidePaymentError?

    /// The key of the order, or the identifier of a transaction whose order this process did not place.
    let key: String
}

/// The reason why a payment failed.
public enum OnsidePaymentError: Error, Hashable, Sendable {
    /// The card was declined.
    case declined
    /// The confirmation was denied.
    case confirmationDenied
    /// The payment was not confirmed in time.
    case timedOut
    /// The payment was cancelled.
    case cancelled
    /// The payment was returned to the user.
    case refunded
    /// The order was not accepted.
    case orderRefused(OnsidePaymentQueueError)
    /// The payment failed for a reason that this version does not know.
    case other(String)
}

extension OnsidePaymentTransaction {
    /// Creates the transaction of an order that the server has not accepted yet, or has rejected.
    init(_ order: PurchaseOrder, error: OnsidePaymentQueueError? = nil) {
        var payment = OnsidePayment(productIdentifier: order.productID)
        payment.quantity = order.quantity
        payment.price = order.price
        self.init(
            transactionIdentifier: nil,
            transactionState: error == nil ? .purchasing : .failed,
            payment: payment,
            transactionDate: order.createdAt.date,
            error: error.map { .orderRefused($0) },
            key: order.key
        )
    }

    /// Creates a transaction from the server's.
    ///
    /// - Parameters:
    ///   - transaction: The server's transaction.
    ///   - key: The key of its order; `nil` if this process did not place it.
    ///   - isRestored: Whether the purchase was restored.
    init(_ transaction: StoreTransaction, key: String? = nil, isRestored: Bool = false) {
        var payment = OnsidePayment(productIdentifier: transaction.productID)
        payment.quantity = transaction.quantity
        payment.price = transaction.price
        let (state, error): (OnsidePaymentTransactionState, OnsidePaymentError?) =
            switch transaction.state {
            case .purchased: (isRestored ? .restored : .purchased, nil)
            case .deferred: (.deferred, nil)
            case .failed: (.failed, OnsidePaymentError(transaction.failure))
            case .refunded: (.failed, .refunded)
            default: (.purchasing, nil)
            }
        self.init(
            transactionIdentifier: transaction.id,
            transactionState: state,
            payment: payment,
            transactionDate: (transaction.purchasedAt ?? transaction.createdAt).date,
            error: error,
            key: key ?? transaction.id
        )
    }
}

extension OnsidePaymentError {
    fileprivate init(_ failure: StoreTransaction.Failure?) {
        switch failure {
        case .declined?: self = .declined
        case .confirmationDenied?: self = .confirmationDenied
        case .timedOut?: self = .timedOut
        case .cancelled?: self = .cancelled
        default: self = .other(failure?.rawValue ?? "")
        }
    }
}
