package import LatchkeyModel

/// An amount of money.
package struct MoneyBody: DocumentedBody, Hashable {
    /// The amount in the currency's minor unit, such as cents.
    package var amount: Int64
    /// The ISO 4217 currency code.
    package var currency: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case amount, currency
    }

    package static let schema = JSONSchema.component(
        "Money",
        summary: "An amount of money in the minor units of a currency, such as cents.",
        members: [
            .required(CodingKeys.amount, .integer(minimum: 0, maximum: nil)),
            .required(CodingKeys.currency, .currencyCode),
        ]
    )

    package init(amount: Int64, currency: String) {
        self.amount = amount
        self.currency = currency
    }

    package init(_ money: Money) {
        self.init(amount: money.amount, currency: money.currency.code)
    }

    /// The amount, or `nil` if it is out of range or the currency is unknown.
    package var money: Money? {
        Currency(currency).flatMap { Money(amount, $0) }
    }
}
