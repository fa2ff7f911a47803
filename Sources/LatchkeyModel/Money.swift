/// An amount of money in the minor units of a currency, such as 499 cents.
///
/// Amounts are integers, so sums and products are exact.
public struct Money: Hashable, Sendable {
    /// The highest amount, which every JSON parser reads exactly (RFC 8259, section 6).
    public static let greatestAmount: Int64 = 9_007_199_254_740_991

    /// The amount in the minor units of the currency.
    public let amount: Int64
    /// The currency, which defines the size of a minor unit.
    public let currency: Currency

    /// Creates an amount; returns `nil` if it is negative or greater than ``greatestAmount``.
    public init?(_ amount: Int64, _ currency: Currency) {
        guard (0...Self.greatestAmount).contains(amount) else { return nil }
        self.amount = amount
        self.currency = currency
    }

    /// Returns the price of several units; `nil` if the count is negative or the result is too great.
    public func multiplied(by count: Int) -> Money? {
        let (product, overflow) = amount.multipliedReportingOverflow(by: Int64(count))
        return overflow ? nil : Money(product, currency)
    }
}

extension Money: CustomStringConvertible {
    /// The amount in the major unit and the code of the currency, such as `4.99 EUR`.
    public var description: String {
        let digits = String(amount)
        guard currency.minorDigits > 0 else { return "\(digits) \(currency.code)" }
        let padding = String(repeating: "0", count: max(0, currency.minorDigits + 1 - digits.count))
        let padded = padding + digits
        return
            "\(padded.dropLast(currency.minorDigits)).\(padded.suffix(currency.minorDigits)) \(currency.code)"
    }
}
