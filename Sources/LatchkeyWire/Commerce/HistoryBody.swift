/// The signed purchase history of an account.
package struct HistoryBody: AnswerBody, DocumentedBody {
    /// The `typ` value in the JWS header.
    package static let tokenType = "purchases+jwt"

    /// The history as a compact JWS (RFC 7515), signed with one of the keys in the server's JWK Set.
    package var history: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case history
    }

    package static let schema = JSONSchema.object([.required(CodingKeys.history, .text)])

    package init(history: String) {
        self.history = history
    }
}

/// The claims in a signed purchase history.
package struct HistoryClaims: Sendable, Codable {
    /// A purchase that has been paid for.
    ///
    /// A purchase stays in the history even if it has been refunded.
    package struct Purchase: Sendable, Hashable, Codable {
        package var transactionID: String
        package var productID: String
        package var quantity: Int
        /// The price per unit.
        package var price: MoneyBody
        package var countryCode: String
        /// The state of the purchase, either `purchased` or `refunded`.
        package var state: TransactionState
        /// When the payment was charged, in RFC 3339 format.
        package var purchasedAt: String
        /// When the purchase was refunded, in RFC 3339 format.
        ///
        /// The time is `nil` if the purchase hasn't been refunded.
        package var refundedAt: String?

        private enum CodingKeys: String, CodingKey {
            case quantity, price, state
            case transactionID = "transaction_id"
            case productID = "product_id"
            case countryCode = "country_code"
            case purchasedAt = "purchased_at"
            case refundedAt = "refunded_at"
        }

        /// Creates a purchase with the given values.
        package init(
            transactionID: String,
            productID: String,
            quantity: Int,
            price: MoneyBody,
            countryCode: String,
            state: TransactionState,
            purchasedAt: String,
            refundedAt: String?
        ) {
            self.transactionID = transactionID
            self.productID = productID
            self.quantity = quantity
            self.price = price
            self.countryCode = countryCode
            self.state = state
            self.purchasedAt = purchasedAt
            self.refundedAt = refundedAt
        }
    }

    /// The issuer: the server's public URL.
    package var iss: String
    /// The subject: the account's ID.
    package var sub: String
    /// The audience: the ID of the app that the history was signed for.
    package var aud: String
    /// When the history was signed, in seconds since 1970.
    package var iat: Int64
    /// When the signature expires, in seconds since 1970.
    package var exp: Int64
    /// A unique ID for this history.
    package var jti: String
    /// All purchases, oldest first.
    package var purchases: [Purchase]

    /// Creates the claims of a signed history.
    package init(
        iss: String,
        sub: String,
        aud: String,
        iat: Int64,
        exp: Int64,
        jti: String,
        purchases: [Purchase]
    ) {
        self.iss = iss
        self.sub = sub
        self.aud = aud
        self.iat = iat
        self.exp = exp
        self.jti = jti
        self.purchases = purchases
    }
}
