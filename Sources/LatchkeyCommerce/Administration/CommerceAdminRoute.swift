/// The paths of the admin API for purchases, relative to the root of the admin listener.
package enum CommerceAdminRoute {
    /// Lists purchase transactions.
    package static let transactions = "/admin/commerce/transactions"
    /// Refunds a transaction (`POST`).
    package static let refund = refund(of: "{}")

    /// Returns the path for refunding a transaction.
    package static func refund(of transaction: String) -> String {
        "\(transactions)/\(transaction)/refund"
    }
}
