/// A country or territory, identified by its two-letter code (ISO 3166-1 alpha-2).
///
/// `XK` for Kosovo is also supported. ISO 3166 doesn't assign this code, but the Unicode CLDR and the
/// European Union use it.
public struct Region: Hashable, Sendable {
    /// The two-letter code in upper case.
    public let code: String

    /// Looks up a region by its code.
    ///
    /// Returns `nil` if the code is unassigned or not in upper case.
    public init?(_ code: String) {
        guard Self.codes.contains(code) else { return nil }
        self.code = code
    }

    /// Looks up a region by its code, ignoring case.
    ///
    /// Returns `nil` if the code is unassigned.
    public init?(ignoringCase code: some StringProtocol) {
        guard code.utf8.count == 2, code.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(code.uppercased())
    }

    private static let codes = Set(
        """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ \
        CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO \
        FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE \
        JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO \
        MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW \
        PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM \
        TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
        """.split(separator: " ").map(String.init)
    )
}

extension Region: CustomStringConvertible {
    /// The two-letter region code.
    public var description: String { code }
}
