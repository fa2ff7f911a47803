import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An amount of money in the minor unit of its currency.
public struct Money: Hashable, Sendable {
    /// The amount in the minor unit, such as cents.
    public var amount: Int64

    /// The currency's code (ISO 4217), such as `EUR`.
    public var currency: String

    /// Creates an amount.
    ///
    /// - Parameters:
    ///   - amount: The amount in the minor unit, such as cents.
    ///   - currency: The currency's code (ISO 4217), such as `EUR`.
    public init(amount: Int64, currency: String) {
        self.amount = amount
        self.currency = currency
    }

    /// The number of decimal places of the currency: two, except for the currencies in ISO 4217 with none or three.
    public var decimalPlaces: Int {
        if Self.withoutMinorUnit.contains(currency) { return 0 }
        return Self.withThousandths.contains(currency) ? 3 : 2
    }

    /// The amount in the currency's main unit, such as euros.
    public var decimal: Decimal {
        let magnitude = Decimal(amount.magnitude)
        return Decimal(sign: amount < 0 ? .minus : .plus, exponent: -decimalPlaces, significand: magnitude)
    }

    private static let withoutMinorUnit: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF",
        "XOF", "XPF",
    ]

    private static let withThousandths: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
}

extension Money: CustomStringConvertible {
    /// The amount with a decimal point and the currency's code, such as `4.99 EUR`.
    ///
    /// Use it in logs and on terminals; format ``decimal`` for screens.
    public var description: String {
        var digits = String(amount.magnitude)
        let places = decimalPlaces
        if digits.count <= places { digits = String(repeating: "0", count: places + 1 - digits.count) + digits }
        if places > 0 { digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -places)) }
        return (amount < 0 ? "-" : "") + digits + " " + currency
    }
}

extension Money {
    /// Decodes an amount; `nil` if a member is missing or has another type.
    init?(decoding json: JSONValue?) {
        guard case .integer(let amount)? = json?["amount"], let currency = json?["currency"]?.text else {
            return nil
        }
        self.init(amount: amount, currency: currency)
    }

    /// The amount as the server reads it.
    var json: JSONValue { ["amount": .integer(amount), "currency": .string(currency)] }
}
