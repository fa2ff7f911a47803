import LatchkeyModel
import LatchkeyPurchases

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The state of a transaction.
public enum OnsidePaymentTransactionState: Hashable, Sendable {
    /// The payment is in progress.
    case purchasing
    /// The product was paid for. Deliver the product, then finish the transaction.
    case purchased
    /// The payment failed. Finish the transaction.
    case failed
    /// The product has already been purchased. Deliver the product again, then finish the transaction.
    case restored
    /// The payment is waiting for confirmation.
    case deferred
}

/// A transaction in the payment queue.
///
/// A transaction is an immutable value, and observers receive a new one for each change.
public struct OnsidePaymentTransaction: Hashable, Sendable {
    /// The transaction's identifier on the server, or `nil` until the server has accepted the payment.
    public let transactionIdentifier: String?

    /// The current state of the transaction.
    public let transactionState: OnsidePaymentTransactionState

    /// The payment that the transaction is for.
    public let payment: OnsidePayment

    /// The date of the payment, or the date of the order if it has not been paid for yet.
    public let transactionDate: Date?

    /// The reason for the state ``OnsidePaymentTransactionState/failed``, or `nil` in other states.
    public let error: OnsidePaymentError?

    /// The order's key, or the transaction's identifier if this process did not place the order.
    let key: String
}

/// The reason a payment failed.
public enum OnsidePaymentError: Error, Hashable, Sendable {
    /// The card was declined.
    case declined
    /// The confirmation of the payment was denied.
    case confirmationDenied
    /// The payment was not confirmed in time.
    case timedOut
    /// The payment was cancelled.
    case cancelled
    /// The payment was refunded.
    case refunded
    /// The server did not accept the order.
    case orderRefused(OnsidePaymentQueueError)
    /// The payment failed for a reason that this version of OnsideKit does not know.
    case other(String)
}

extension OnsidePaymentTransaction {
    /// Creates the transaction for an order that the server has rejected or not yet accepted.
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

    /// Creates a transaction from the server's transaction.
    ///
    /// - Parameters:
    ///   - transaction: The server's transaction.
    ///   - key: The key of the order, or `nil` if this process did not place it.
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
            transactionDate: transaction.purchasedAt ?? transaction.createdAt,
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
