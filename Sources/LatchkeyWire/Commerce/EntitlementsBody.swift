/// The products that an account owns.
package struct EntitlementsBody: AnswerBody, DocumentedBody {
    /// A non-consumable product that was bought and hasn't been refunded.
    package struct Entitlement: DocumentedBody, Hashable {
        package var productID: String
        package var transactionID: String
        /// When the payment was charged, in RFC 3339 format.
        package var grantedAt: String

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case productID = "product_id"
            case transactionID = "transaction_id"
            case grantedAt = "granted_at"
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.productID, .text),
            .required(CodingKeys.transactionID, .uuid),
            .required(CodingKeys.grantedAt, .time),
        ])

        package init(productID: String, transactionID: String, grantedAt: String) {
            self.productID = productID
            self.transactionID = transactionID
            self.grantedAt = grantedAt
        }
    }

    package var entitlements: [Entitlement]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case entitlements
    }

    package static let schema = JSONSchema.object([
        .required(CodingKeys.entitlements, .array(Entitlement.schema))
    ])

    package init(entitlements: [Entitlement]) {
        self.entitlements = entitlements
    }
}
