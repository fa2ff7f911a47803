/// A currency that is currently in use (ISO 4217).
public struct Currency: Hashable, Sendable {
    /// The three-letter code, such as `EUR`.
    public let code: String

    /// The number of decimal places that amounts are written with: 2 if the minor unit is a cent, or 0 if
    /// there is no minor unit.
    public let minorDigits: Int

    /// Looks up a currency by its code.
    ///
    /// Returns `nil` if the code is unknown or not in upper case.
    public init?(_ code: String) {
        guard let minorDigits = Self.minorDigits[code] else { return nil }
        self.code = code
        self.minorDigits = minorDigits
    }

    /// The number of decimal places for each currency code.
    private static let minorDigits: [String: Int] = {
        let codes: [(Int, String)] = [
            (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
            (3, "BHD IQD JOD KWD LYD OMR TND"),
            (
                2,
                """
                AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF \
                CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG \
                HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU \
                MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR \
                SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED \
                VES WST XCD XCG YER ZAR ZMW ZWG
                """
            ),
        ]
        var digits: [String: Int] = [:]
        for (count, list) in codes {
            for code in list.split(separator: " ") { digits[String(code)] = count }
        }
        return digits
    }()
}

extension Currency: CustomStringConvertible {
    /// The three-letter currency code.
    public var description: String { code }
}
