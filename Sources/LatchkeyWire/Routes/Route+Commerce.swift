extension Route {
    /// The paths of the purchase API, relative to the base path; they exist only if a catalog is configured.
    package enum Commerce {
        /// The prefix of all paths.
        package static let prefix = "/commerce/"
        /// Returns the storefront of the account, or a guess without a session.
        package static let storefront = "/commerce/storefront"
        /// Returns the products of the storefront with their prices.
        package static let products = "/commerce/products"
        /// Lists (`GET`) or adds (`POST`) payment methods; with an id appended, changes (`PATCH`) or removes
        /// (`DELETE`) one of them.
        package static let paymentMethods = "/commerce/payment-methods"
        /// Orders a product (`POST`).
        package static let orders = "/commerce/orders"
        /// Lists transactions; with an id appended, returns one of them.
        package static let transactions = "/commerce/transactions"
        /// Lists the products that the account owns.
        package static let entitlements = "/commerce/entitlements"
        /// Returns the purchases to restore (`POST`).
        package static let restore = "/commerce/restore"
        /// Returns the signed purchase history.
        package static let history = "/commerce/history"

        /// Returns the path of the confirmation of a deferred transaction (`POST`).
        package static func confirmation(of transaction: String) -> String {
            "\(transactions)/\(transaction)/confirm"
        }

        /// Returns the path with which the app reports that it has delivered the content (`POST`).
        package static func completion(of transaction: String) -> String {
            "\(transactions)/\(transaction)/finish"
        }
    }
}
