/// The signed purchase history of the account.
package struct HistoryBody: Sendable, Codable {
    /// The value of `typ` in the header of the JWS.
    package static let tokenType = "purchases+jwt"

    /// The history as a compact JWS (RFC 7515), signed with a key in the server's JWK Set.
    package var history: String

    /// Creates the body.
    package init(history: String) {
        self.history = history
    }
}

/// The claims of the signed purchase history.
package struct HistoryClaims: Sendable, Codable {
    /// A purchase that was charged, which may have been refunded later.
    package struct Purchase: Sendable, Hashable, Codable {
        package var transactionID: String
        package var productID: String
        package var quantity: Int
        /// The price of one unit.
        package var price: MoneyBody
        package var countryCode: String
        /// `purchased` or `refunded`.
        package var state: TransactionState
        /// The time of the charge, in RFC 3339.
        package var purchasedAt: String
        /// The time of the refund, in RFC 3339; `nil` if the purchase was not refunded.
        package var refundedAt: String?

        private enum CodingKeys: String, CodingKey {
            case quantity, price, state
            case transactionID = "transaction_id"
            case productID = "product_id"
            case countryCode = "country_code"
            case purchasedAt = "purchased_at"
            case refundedAt = "refunded_at"
        }

        /// Creates a purchase.
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

    /// The issuer, which is the URL of the server.
    package var iss: String
    /// The id of the account.
    package var sub: String
    /// The id of the app for which the history was signed.
    package var aud: String
    /// The time of the signature in seconds since 1970.
    package var iat: Int64
    /// The expiry in seconds since 1970.
    package var exp: Int64
    /// The unique id of the history.
    package var jti: String
    /// The purchases, oldest first.
    package var purchases: [Purchase]

    /// Creates the claims.
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
