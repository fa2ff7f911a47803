/// An amount of money.
package struct MoneyBody: Sendable, Hashable, Codable {
    /// The amount in the minor units of the currency, such as cents.
    package var amount: Int64
    /// The ISO 4217 code of the currency.
    package var currency: String

    /// Creates the body from an amount in minor units and an ISO 4217 code.
    package init(amount: Int64, currency: String) {
        self.amount = amount
        self.currency = currency
    }
}
