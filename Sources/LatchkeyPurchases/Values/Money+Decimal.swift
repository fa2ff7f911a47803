public import LatchkeyModel

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
