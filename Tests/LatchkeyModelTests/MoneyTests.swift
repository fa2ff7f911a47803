import LatchkeyModel
import Testing

@Suite struct `Amounts of money` {
    private let euro = Currency("EUR")

    @Test(arguments: [-1, Int64.min, Money.greatestAmount + 1, Int64.max])
    func `Negative and excessively large amounts are rejected`(amount: Int64) throws {
        let currency = try #require(euro)
        #expect(Money(amount, currency) == nil)
    }

    @Test(
        arguments: [
            (499, 1, 499), (499, 3, 1497), (0, 10, 0), (499, -1, nil),
            (Money.greatestAmount, 1, Money.greatestAmount),
            (Money.greatestAmount, 2, nil), (Money.greatestAmount, Int.max, nil),
        ] as [(Int64, Int, Int64?)]
    )
    func `Multiplying an amount is either exact or fails`(amount: Int64, count: Int, product: Int64?) throws {
        let currency = try #require(euro)
        let price = try #require(Money(amount, currency))
        #expect(price.multiplied(by: count)?.amount == product)
    }

    @Test(
        arguments: [
            ("EUR", 499, "4.99 EUR"), ("EUR", 5, "0.05 EUR"), ("EUR", 0, "0.00 EUR"),
            ("NOK", 120_000, "1200.00 NOK"),
            ("JPY", 600, "600 JPY"), ("KWD", 1234, "1.234 KWD"), ("KWD", 7, "0.007 KWD"),
        ] as [(String, Int64, String)]
    )
    func `Amounts are shown in the currency's main unit`(code: String, amount: Int64, text: String) throws {
        let currency = try #require(Currency(code))
        #expect(Money(amount, currency)?.description == text)
    }
}

@Suite struct `Currency codes` {
    @Test(arguments: ["", "eur", "EURO", "XXX", "XAU", "DEM", "E\u{301}UR", "EUR "])
    func `A code that is not a currency in circulation is rejected`(code: String) {
        #expect(Currency(code) == nil)
    }
}
