/// A purchase transaction, whose times are in RFC 3339 format.
package struct TransactionBody: DocumentedBody, Hashable, Identifiable {
    package var id: String
    package var productID: String
    package var quantity: Int
    /// The price per unit at the time of the order, which is charged for each unit.
    package var price: MoneyBody
    /// The ISO 3166-1 alpha-2 code of the storefront's region.
    package var countryCode: String
    package var state: OpenEnum<TransactionState>
    package var createdAt: String
    package var updatedAt: String
    /// When the payment was charged, or `nil` if it wasn't.
    package var purchasedAt: String?
    /// When the app reported that it had delivered the content, or `nil` if it hasn't yet.
    package var finishedAt: String?
    /// When the transaction was refunded, or `nil` if it wasn't.
    package var refundedAt: String?
    /// Why the transaction failed, or `nil` unless the state is ``TransactionState/failed``.
    package var failure: OpenEnum<TransactionFailure>?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, quantity, price, state, failure
        case productID = "product_id"
        case countryCode = "country_code"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case purchasedAt = "purchased_at"
        case finishedAt = "finished_at"
        case refundedAt = "refunded_at"
    }

    package static let schema = JSONSchema.component(
        "Transaction",
        summary: "A purchase transaction; `price` is the price of one unit.",
        members: members
    )

    static let members: [JSONSchema.Property] = [
        .required(CodingKeys.id, .uuid),
        .required(CodingKeys.productID, .text),
        .required(CodingKeys.quantity, .integer(minimum: 1, maximum: Int64(OrderBody.mostUnits))),
        .required(CodingKeys.price, MoneyBody.schema),
        .required(CodingKeys.countryCode, .countryCode),
        .required(CodingKeys.state, .oneOf(TransactionState.allCases)),
        .required(CodingKeys.createdAt, .time),
        .required(CodingKeys.updatedAt, .time),
        .optional(CodingKeys.purchasedAt, .time),
        .optional(CodingKeys.finishedAt, .time),
        .optional(CodingKeys.refundedAt, .time),
        .optional(CodingKeys.failure, .oneOf(TransactionFailure.allCases)),
    ]

    package init(
        id: String,
        productID: String,
        quantity: Int,
        price: MoneyBody,
        countryCode: String,
        state: OpenEnum<TransactionState>,
        createdAt: String,
        updatedAt: String,
        purchasedAt: String?,
        finishedAt: String?,
        refundedAt: String?,
        failure: OpenEnum<TransactionFailure>?
    ) {
        self.id = id
        self.productID = productID
        self.quantity = quantity
        self.price = price
        self.countryCode = countryCode
        self.state = state
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.purchasedAt = purchasedAt
        self.finishedAt = finishedAt
        self.refundedAt = refundedAt
        self.failure = failure
    }
}
