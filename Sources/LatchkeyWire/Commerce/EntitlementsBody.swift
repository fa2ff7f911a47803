/// The products that the account owns.
package struct EntitlementsBody: Sendable, Codable {
    /// A non-consumable product that was bought and not refunded.
    package struct Entitlement: Sendable, Hashable, Codable {
        package var productID: String
        package var transactionID: String
        /// The time of the charge, in RFC 3339.
        package var grantedAt: String

        private enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case transactionID = "transaction_id"
            case grantedAt = "granted_at"
        }

        /// Creates an entitlement.
        package init(productID: String, transactionID: String, grantedAt: String) {
            self.productID = productID
            self.transactionID = transactionID
            self.grantedAt = grantedAt
        }
    }

    package var entitlements: [Entitlement]

    /// Creates the body.
    package init(entitlements: [Entitlement]) {
        self.entitlements = entitlements
    }
}
