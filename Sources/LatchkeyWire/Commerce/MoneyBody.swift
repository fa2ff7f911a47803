/// An amount of money, as represented in JSON.
package struct MoneyBody: Sendable, Hashable, Codable {
    /// The amount in the currency's minor unit, such as cents.
    package var amount: Int64
    /// The ISO 4217 currency code.
    package var currency: String

    /// Creates a body from an amount in the currency's minor unit and an ISO 4217 currency code.
    package init(amount: Int64, currency: String) {
        self.amount = amount
        self.currency = currency
    }
}
