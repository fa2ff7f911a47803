import LatchkeyModel
import Testing

@Suite struct `Phone numbers` {
    @Test(arguments: [
        ("+439999999999", "+439999999999"),
        ("+43 (999) 999-99/99", "+439999999999"),
        (" +43.999\u{A0}999\u{202F}99\u{2011}99 \r\n", "+439999999999"),
        ("\u{202A}+43 999 999 – 9999\u{202C}", "+439999999999"),
        ("+[1]2345 67", "+1234567"),
        ("+123456789012345", "+123456789012345"),
    ])
    func `Phone numbers in common formats are parsed`(text: String, e164: String) {
        #expect(PhoneNumber(text)?.e164 == e164)
    }

    @Test(arguments: [
        "", "+", "439999999999", "0043999999999", "+043999999999", "+123456", "+1234567890123456",
        "+43999x99999", "+43+9999999", "++43999999999", "+43999999999a", "tel:+43999999999",
        "+４３９９９９９９９９９", "+٤٣٩٩٩٩٩٩٩٩٩", "+1\u{301}2345678", "+\u{301}12345678", "+12345678,9",
        "+12345678\u{0}",
    ])
    func `Text that is not a phone number is rejected`(text: String) {
        #expect(PhoneNumber(text) == nil)
    }

    @Test func `Printing a phone number only shows its last two digits`() throws {
        let number = try #require(PhoneNumber("+439999999912"))

        #expect("\(number)" == "+…12")
    }
}
