/// A purchase transaction of the account; times are in RFC 3339.
package struct TransactionBody: Sendable, Hashable, Codable {
    package var id: String
    package var productID: String
    package var quantity: Int
    /// The price of one unit at the time of the order; the charge is the price multiplied by the quantity.
    package var price: MoneyBody
    /// The region of the storefront as an ISO 3166-1 alpha-2 code.
    package var countryCode: String
    package var state: TransactionState
    package var createdAt: String
    package var updatedAt: String
    /// The time of the charge; `nil` if there was none.
    package var purchasedAt: String?
    /// The time at which the app reported that it has delivered the content; `nil` before.
    package var finishedAt: String?
    /// The time of the refund; `nil` if the transaction was not refunded.
    package var refundedAt: String?
    /// The reason of the failure; `nil` in every state except ``TransactionState/failed``.
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

    /// Creates the body.
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

/// A response with one transaction.
package struct TransactionReply: Sendable, Codable {
    package var transaction: TransactionBody

    /// Creates the response.
    package init(transaction: TransactionBody) {
        self.transaction = transaction
    }
}

/// A page of transactions, oldest first, or the purchases to restore.
package struct TransactionsBody: Sendable, Codable {
    package var transactions: [TransactionBody]
    /// The token of the next page; `nil` on the last page and for restored purchases.
    package var nextPageToken: String?

    private enum CodingKeys: String, CodingKey {
        case transactions
        case nextPageToken = "next_page_token"
    }

    /// Creates a page.
    package init(transactions: [TransactionBody], nextPageToken: String? = nil) {
        self.transactions = transactions
        self.nextPageToken = nextPageToken
    }
}
