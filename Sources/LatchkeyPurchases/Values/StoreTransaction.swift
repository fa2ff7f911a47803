public import LatchkeyModel
import LatchkeyWire

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
    public var createdAt: Timestamp

    /// The time when the state last changed.
    public var updatedAt: Timestamp

    /// The time of the payment, or `nil` if the product has not been paid for.
    public var purchasedAt: Timestamp?

    /// The time when the app finished the transaction, or `nil` if it is not finished.
    public var finishedAt: Timestamp?

    /// The time of the refund, or `nil` if the payment was not refunded.
    public var refundedAt: Timestamp?

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
        createdAt: Timestamp,
        updatedAt: Timestamp? = nil,
        purchasedAt: Timestamp? = nil,
        finishedAt: Timestamp? = nil,
        refundedAt: Timestamp? = nil,
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
    /// Decodes a transaction, or returns `nil` if a required member is missing or a member has another type.
    init?(decoding json: JSONValue?) {
        var isReadable = true
        let time = { (name: String) -> Timestamp? in
            guard let member = json?[name], member != .null else { return nil }
            let time = member.text.flatMap { Timestamp(rfc3339: $0) }
            if time == nil { isReadable = false }
            return time
        }
        guard let id = json?["id"]?.text, let product = json?["product_id"]?.text,
            let quantity = json?["quantity"]?.integer, let price = Money(decoding: json?["price"]),
            let country = json?["country_code"]?.text, let state = json?["state"]?.text,
            let createdAt = time("created_at")
        else { return nil }
        self.init(
            id: id,
            productID: product,
            quantity: quantity,
            price: price,
            countryCode: country,
            state: State(rawValue: state),
            createdAt: createdAt,
            updatedAt: time("updated_at"),
            purchasedAt: time("purchased_at"),
            finishedAt: time("finished_at"),
            refundedAt: time("refunded_at"),
            failure: json?["failure"]?.text.map { Failure(rawValue: $0) }
        )
        guard isReadable else { return nil }
    }

    /// The transaction as JSON, which can be decoded with ``init(decoding:)``.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "product_id": .string(productID), "quantity": .integer(Int64(quantity)),
            "price": price.json, "country_code": .string(countryCode), "state": .string(state.rawValue),
            "created_at": .string(createdAt.description), "updated_at": .string(updatedAt.description),
        ]
        members["purchased_at"] = purchasedAt.map { .string($0.description) }
        members["finished_at"] = finishedAt.map { .string($0.description) }
        members["refunded_at"] = refundedAt.map { .string($0.description) }
        members["failure"] = failure.map { .string($0.rawValue) }
        return .object(members)
    }
}

/// A non-consumable product that the account owns because it was bought and not refunded.
public struct Entitlement: Hashable, Sendable {
    /// The identifier of the owned product.
    public var productID: String

    /// The identifier of the transaction in which the product was bought.
    public var transactionID: String

    /// The time of the purchase, or `nil` if the server did not send it.
    public var grantedAt: Timestamp?

    /// Creates an entitlement, for tests and previews.
    public init(productID: String, transactionID: String, grantedAt: Timestamp? = nil) {
        self.productID = productID
        self.transactionID = transactionID
        self.grantedAt = grantedAt
    }
}

extension Entitlement {
    /// Decodes an entitlement, or returns `nil` if an identifier is missing.
    init?(decoding json: JSONValue?) {
        guard let product = json?["product_id"]?.text, let transaction = json?["transaction_id"]?.text else {
            return nil
        }
        self.init(
            productID: product,
            transactionID: transaction,
            grantedAt: json?["granted_at"]?.text.flatMap { Timestamp(rfc3339: $0) }
        )
    }
}
