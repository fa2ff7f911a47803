public import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A product purchase made with the user's account.
public struct StoreTransaction: Hashable, Sendable, Identifiable {
    /// The state of a transaction.
    public struct State: RawRepresentable, Hashable, Sendable {
        /// The state's name in the API.
        public let rawValue: String

        /// Creates a state from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The payment is in progress.
        public static let purchasing = State(rawValue: "purchasing")
        /// The payment is waiting for confirmation, such as the cardholder's approval.
        public static let deferred = State(rawValue: "deferred")
        /// The product was paid for.
        ///
        /// Deliver the product, then finish the transaction.
        public static let purchased = State(rawValue: "purchased")
        /// The payment failed.
        ///
        /// See ``StoreTransaction/failure`` for the reason.
        public static let failed = State(rawValue: "failed")
        /// The payment was refunded.
        public static let refunded = State(rawValue: "refunded")

        /// Whether the state will change later, because the payment is in progress or waiting for
        /// confirmation.
        public var isPending: Bool { self == .purchasing || self == .deferred }
    }

    /// The reason a payment failed.
    public struct Failure: RawRepresentable, Hashable, Sendable {
        /// The reason's name in the API.
        public let rawValue: String

        /// Creates a reason from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The card was declined.
        public static let declined = Failure(rawValue: "declined")
        /// The confirmation of the payment was denied.
        public static let confirmationDenied = Failure(rawValue: "confirmation_denied")
        /// The payment was not confirmed in time.
        public static let timedOut = Failure(rawValue: "timed_out")
        /// The payment was cancelled.
        public static let cancelled = Failure(rawValue: "cancelled")
    }

    /// The transaction's identifier.
    public var id: String

    /// The product's identifier.
    public var productID: String

    /// The number of units that were bought.
    public var quantity: Int

    /// The unit price at the time of the order.
    public var price: Money

    /// The storefront's region at the time of the purchase.
    public var countryCode: String

    /// The last state that the server reported.
    public var state: State

    /// The time when the order was placed.
    public var createdAt: Date

    /// The time when the state last changed.
    public var updatedAt: Date

    /// The time of the payment, or `nil` if the product has not been paid for.
    public var purchasedAt: Date?

    /// The time when the app finished the transaction, or `nil` if it is not finished.
    public var finishedAt: Date?

    /// The time of the refund, or `nil` if the payment was not refunded.
    public var refundedAt: Date?

    /// The reason the payment failed, or `nil` in other states.
    public var failure: Failure?

    /// Creates a transaction, for tests and previews.
    public init(
        id: String,
        productID: String,
        quantity: Int = 1,
        price: Money,
        countryCode: String,
        state: State,
        createdAt: Date,
        updatedAt: Date? = nil,
        purchasedAt: Date? = nil,
        finishedAt: Date? = nil,
        refundedAt: Date? = nil,
        failure: Failure? = nil
    ) {
        self.id = id
        self.productID = productID
        self.quantity = quantity
        self.price = price
        self.countryCode = countryCode
        self.state = state
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
        self.purchasedAt = purchasedAt
        self.finishedAt = finishedAt
        self.refundedAt = refundedAt
        self.failure = failure
    }
}

extension StoreTransaction {
    /// Creates a transaction from the server's response, or returns `nil` if its currency is unknown or a time is
    /// malformed.
    init?(_ body: TransactionBody) {
        var isReadable = true
        let time = { (text: String) -> Date? in
            let time = Timestamp(rfc3339: text)?.date
            if time == nil { isReadable = false }
            return time
        }
        guard let price = body.price.money, let createdAt = time(body.createdAt) else { return nil }
        self.init(
            id: body.id,
            productID: body.productID,
            quantity: body.quantity,
            price: price,
            countryCode: body.countryCode,
            state: State(rawValue: body.state.rawValue),
            createdAt: createdAt,
            updatedAt: time(body.updatedAt),
            purchasedAt: body.purchasedAt.flatMap(time),
            finishedAt: body.finishedAt.flatMap(time),
            refundedAt: body.refundedAt.flatMap(time),
            failure: body.failure.map { Failure(rawValue: $0.rawValue) }
        )
        guard isReadable else { return nil }
    }

    /// The transaction in the server's format, in which this device stores it.
    var body: TransactionBody {
        TransactionBody(
            id: id,
            productID: productID,
            quantity: quantity,
            price: MoneyBody(price),
            countryCode: countryCode,
            state: OpenEnum(rawValue: state.rawValue),
            createdAt: Timestamp(createdAt).description,
            updatedAt: Timestamp(updatedAt).description,
            purchasedAt: purchasedAt.map { Timestamp($0).description },
            finishedAt: finishedAt.map { Timestamp($0).description },
            refundedAt: refundedAt.map { Timestamp($0).description },
            failure: failure.map { OpenEnum(rawValue: $0.rawValue) }
        )
    }
}

/// A non-consumable product that the account owns because it was bought and not refunded.
public struct Entitlement: Hashable, Sendable {
    /// The identifier of the owned product.
    public var productID: String

    /// The identifier of the transaction in which the product was bought.
    public var transactionID: String

    /// The time of the purchase, or `nil` if the server did not send it.
    public var grantedAt: Date?

    /// Creates an entitlement, for tests and previews.
    public init(productID: String, transactionID: String, grantedAt: Date? = nil) {
        self.productID = productID
        self.transactionID = transactionID
        self.grantedAt = grantedAt
    }
}

extension Entitlement {
    init(_ body: EntitlementsBody.Entitlement) {
        self.init(
            productID: body.productID,
            transactionID: body.transactionID,
            grantedAt: Timestamp(rfc3339: body.grantedAt)?.date
        )
    }
}
