/// An amount of money in the minor unit of a currency, such as 499 cents.
///
/// Amounts are integers, so adding and multiplying them is exact.
public struct Money: Hashable, Sendable {
    /// The largest supported amount.
    ///
    /// Every JSON parser can represent integers up to this value exactly (RFC 8259, section 6).
    public static let greatestAmount: Int64 = 9_007_199_254_740_991

    /// The amount in the currency's minor unit.
    public let amount: Int64
    /// The currency of the amount.
    public let currency: Currency

    /// Creates an amount.
    ///
    /// Returns `nil` if the amount is negative or larger than ``greatestAmount``.
    public init?(_ amount: Int64, _ currency: Currency) {
        guard (0...Self.greatestAmount).contains(amount) else { return nil }
        self.amount = amount
        self.currency = currency
    }

    /// Multiplies a unit price by a quantity.
    ///
    /// Returns `nil` if the quantity is negative or the result is too large.
    public func multiplied(by count: Int) -> Money? {
        let (product, overflow) = amount.multipliedReportingOverflow(by: Int64(count))
        return overflow ? nil : Money(product, currency)
    }
}

extension Money: CustomStringConvertible {
    /// The amount in the currency's major unit, followed by the currency code, such as `4.99 EUR`.
    public var description: String {
        let digits = String(amount)
        guard currency.minorDigits > 0 else { return "\(digits) \(currency.code)" }
        let padding = String(repeating: "0", count: max(0, currency.minorDigits + 1 - digits.count))
        let padded = padding + digits
        return
            "\(padded.dropLast(currency.minorDigits)).\(padded.suffix(currency.minorDigits)) \(currency.code)"
    }
}

extension Money {
    /// Parses an amount in the currency's major unit, followed by the currency code, such as `4.99 EUR`.
    ///
    /// The fraction is optional, but if there is one, it must have as many digits as the currency.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let currency = Currency(String(words[1])) else { return nil }
        let parts = words[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction =
            parts.count == 2 ? String(parts[1]) : String(repeating: "0", count: currency.minorDigits)
        guard
            let whole = parts.first, !whole.isEmpty, fraction.utf8.count == currency.minorDigits,
            (whole + fraction).utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            parts.count == 1 || currency.minorDigits > 0, let amount = Int64(whole + fraction)
        else { return nil }
        self.init(amount, currency)
    }
}
