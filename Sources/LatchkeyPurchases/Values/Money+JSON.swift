public import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Money {
    /// The amount in the currency's main unit, such as euros.
    public var decimal: Decimal {
        Decimal(sign: .plus, exponent: -currency.minorDigits, significand: Decimal(amount))
    }
}

extension Money {
    /// Decodes an amount, or returns `nil` if a member is missing or has another type, or the currency is
    /// unknown.
    init?(decoding json: JSONValue?) {
        guard case .integer(let amount)? = json?["amount"],
            let currency = json?["currency"]?.text.flatMap({ Currency($0) })
        else { return nil }
        self.init(amount, currency)
    }

    /// The amount as JSON for the server.
    var json: JSONValue { ["amount": .integer(amount), "currency": .string(currency.code)] }
}
