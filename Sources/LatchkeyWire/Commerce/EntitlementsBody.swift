/// The products that an account owns.
package struct EntitlementsBody: AnswerBody, Codable {
    /// A non-consumable product that was bought and hasn't been refunded.
    package struct Entitlement: Sendable, Hashable, Codable {
        package var productID: String
        package var transactionID: String
        /// When the payment was charged, in RFC 3339 format.
        package var grantedAt: String

        private enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case transactionID = "transaction_id"
            case grantedAt = "granted_at"
        }

        /// Creates an entitlement with the given values.
        package init(productID: String, transactionID: String, grantedAt: String) {
            self.productID = productID
            self.transactionID = transactionID
            self.grantedAt = grantedAt
        }
    }

    package var entitlements: [Entitlement]

    /// Creates a response with the given entitlements.
    package init(entitlements: [Entitlement]) {
        self.entitlements = entitlements
    }
}
