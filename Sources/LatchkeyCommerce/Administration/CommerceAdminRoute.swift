/// The operator's routes for purchases, relative to the root of the admin listener.
package enum CommerceAdminRoute {
    /// Lists purchase transactions.
    package static let transactions = "/admin/commerce/transactions"
    /// Returns the money of a transaction (`POST`).
    package static let refund = refund(of: "{}")

    /// Returns the path of the refund of a transaction.
    package static func refund(of transaction: String) -> String {
        "\(transactions)/\(transaction)/refund"
    }
}
