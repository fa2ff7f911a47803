import LatchkeyModel
import Testing

@testable import LatchkeyAccounts

@Suite struct `Phone number ranges` {
    @Test(arguments: [
        // The seeds' number, which looks like a premium number but isn't in a premium range.
        ("+439999999999", true),
        ("+46701000001", true), ("+4740612345", true), ("+358401234567", true), ("+4917612345678", true),
        ("+12025550123", true), ("+447400123456", true), ("+33612345678", true), ("+393123456789", true),
        ("+8613800138000", true), ("+61412345678", true), ("+919876543210", true),
        // International networks.
        ("+80012345678", false), ("+80812345678", false), ("+870773123456", false),
        ("+878101234567890", false),
        ("+88161234567", false), ("+882131234567", false), ("+883510012345678", false),
        ("+88812345678", false),
        ("+979123456789", false),
        // Premium, shared-cost and pager numbers.
        ("+43900123456", false), ("+43930123456", false), ("+43810123456", false), ("+449012345678", false),
        ("+448431234567", false), ("+447640123456", false), ("+19002345678", false), ("+33891123456", false),
        ("+46746123456", false), ("+4682012345678", true), ("+469001234567", false), ("+35860012345", false),
        ("+4791234567", true), ("+478201234", false),
        // Telephones in Beijing begin with the digits of shorter shared-cost numbers.
        ("+861010123456", true), ("+8610101234", false),
    ])
    func `Only ordinary numbers get text messages`(number: String, isServed: Bool) throws {
        let phone = try #require(PhoneNumber(number))
        #expect(PhoneRanges.contains(phone) != isServed)
        #expect(TextMessagePolicy().serves(phone) == isServed)
    }

    @Test(arguments: [
        ("+439999999999", "43"), ("+46701000001", "46"), ("+12025550123", "1"), ("+77012345678", "7"),
        ("+358401234567", "358"), ("+882131234567", "882"), ("+9991234567", "999"),
    ])
    func `The calling code of a number is known`(number: String, code: String) throws {
        let phone = try #require(PhoneNumber(number))
        #expect(phone.callingCode == code)
        #expect(PhoneNumber.isCallingCode(code))
        #expect(TextMessagePolicy(callingCodes: ["46"]).serves(phone) == (code == "46"))
    }

    @Test(arguments: ["", "0", "4", "467", "+46", "35", "3584", "four"])
    func `Other digits are no calling code`(text: String) {
        #expect(!PhoneNumber.isCallingCode(text))
    }
}
