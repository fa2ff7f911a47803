extension Route {
    /// The paths of the purchase API, relative to the base path.
    ///
    /// The purchase API is only available if a catalog is configured.
    package enum Commerce {
        /// The prefix that all purchase paths share.
        package static let prefix = "/commerce/"
        /// Returns the account's storefront.
        ///
        /// If the user isn't logged in, the server guesses the storefront.
        package static let storefront = "/commerce/storefront"
        /// Returns the products in the storefront, including their prices.
        package static let products = "/commerce/products"
        /// Lists payment methods (`GET`) or adds one (`POST`).
        ///
        /// If an ID is appended to the path, the request changes (`PATCH`) or removes (`DELETE`) the payment
        /// method with that ID.
        package static let paymentMethods = "/commerce/payment-methods"
        /// Orders a product (`POST`).
        package static let orders = "/commerce/orders"
        /// Lists transactions.
        ///
        /// If an ID is appended to the path, the response contains only the transaction with that ID.
        package static let transactions = "/commerce/transactions"
        /// Lists the products that the account owns.
        package static let entitlements = "/commerce/entitlements"
        /// Returns the purchases to restore (`POST`).
        package static let restore = "/commerce/restore"
        /// Returns the signed purchase history.
        package static let history = "/commerce/history"

        /// Returns the path for confirming or denying a deferred transaction (`POST`).
        package static func confirmation(of transaction: String) -> String {
            "\(transactions)/\(transaction)/confirm"
        }

        /// Returns the path that apps use to report that they have delivered the content (`POST`).
        package static func completion(of transaction: String) -> String {
            "\(transactions)/\(transaction)/finish"
        }
    }
}
