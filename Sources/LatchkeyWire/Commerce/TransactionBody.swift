/// A purchase transaction.
///
/// Times are in RFC 3339 format.
package struct TransactionBody: Sendable, Hashable, Codable {
    package var id: String
    package var productID: String
    package var quantity: Int
    /// The price per unit at the time of the order.
    ///
    /// The user is charged this price multiplied by the quantity.
    package var price: MoneyBody
    /// The ISO 3166-1 alpha-2 code of the storefront's region.
    package var countryCode: String
    package var state: TransactionState
    package var createdAt: String
    package var updatedAt: String
    /// When the payment was charged, or `nil` if it wasn't.
    package var purchasedAt: String?
    /// When the app reported that it had delivered the content, or `nil` if it hasn't yet.
    package var finishedAt: String?
    /// When the transaction was refunded, or `nil` if it wasn't.
    package var refundedAt: String?
    /// Why the transaction failed.
    ///
    /// `nil` unless the state is ``TransactionState/failed``.
    package var failure: TransactionFailure?

    private enum CodingKeys: String, CodingKey {
        case id, quantity, price, state, failure
        case productID = "product_id"
        case countryCode = "country_code"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case purchasedAt = "purchased_at"
        case finishedAt = "finished_at"
        case refundedAt = "refunded_at"
    }

    /// Creates a transaction with the given values.
    package init(
        id: String,
        productID: String,
        quantity: Int,
        price: MoneyBody,
        countryCode: String,
        state: TransactionState,
        createdAt: String,
        updatedAt: String,
        purchasedAt: String? = nil,
        finishedAt: String? = nil,
        refundedAt: String? = nil,
        failure: TransactionFailure? = nil
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

/// A response that contains a single transaction.
package struct TransactionReply: AnswerBody, Codable {
    /// The status is 201 if the request has created the transaction.
    package static let statuses: Set<Int> = [200, 201]

    package var transaction: TransactionBody

    /// Creates a response with the given transaction.
    package init(transaction: TransactionBody) {
        self.transaction = transaction
    }
}

/// A page of transactions, oldest first, or the purchases that were restored.
package struct TransactionsBody: AnswerBody, Codable {
    package var transactions: [TransactionBody]
    /// A token for requesting the next page.
    ///
    /// `nil` on the last page and for restored purchases.
    package var nextPageToken: String?

    private enum CodingKeys: String, CodingKey {
        case transactions
        case nextPageToken = "next_page_token"
    }

    /// Creates a page of transactions.
    package init(transactions: [TransactionBody], nextPageToken: String? = nil) {
        self.transactions = transactions
        self.nextPageToken = nextPageToken
    }
}
