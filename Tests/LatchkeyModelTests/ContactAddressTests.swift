import LatchkeyModel
import Testing

@Suite struct `Contact addresses` {
    @Test(arguments: [
        ("+439999999999", "+439999999999"), (" +43 (999) 999-99/99 ", "+439999999999"),
        ("\u{202A}+43 999 999 – 9999\u{202C}", "+439999999999"),
    ])
    func `A phone number is parsed and stored in E.164 format`(text: String, stored: String) throws {
        let address = try #require(ContactAddress(text))

        #expect(address == ContactAddress(via: .sms, value: stored))
    }

    @Test(arguments: [
        ("user@example.com", "user@example.com"), (" User@Example.COM\n", "user@example.com"),
        ("Jürgen@MÜNCHEN.de", "jürgen@münchen.de"), ("+43999@example.com", "+43999@example.com"),
    ])
    func `An e-mail address is parsed and stored in lowercase`(text: String, stored: String) throws {
        let address = try #require(ContactAddress(text))

        #expect(address == ContactAddress(via: .email, value: stored))
    }

    @Test(arguments: ["+439999999999", "user@example.com", "o'brien+tag@mail.example.co.uk"])
    func `Parsing a stored address results in the same address`(text: String) throws {
        let address = try #require(ContactAddress(text))

        #expect(ContactAddress(address.value) == address)
        #expect(address.value == text)
    }

    @Test(arguments: [
        "", " ", "+", "439999999999", "+043999999999", "user", "user@", "user@localhost", "a@b@example.com",
        "tel:439999999999", "mailto:user@example.com,", "user name",
    ])
    func `Text that is neither a phone number nor an e-mail address is rejected`(text: String) {
        #expect(ContactAddress(text) == nil)
    }

    @Test func `Different spellings of the same address are equal and have the same hash`() throws {
        let spellings = ["user@example.com", "USER@example.com", " User@Example.Com "]
        #expect(Set(spellings.map { ContactAddress($0) }).count == 1)
        let numbers = ["+439999999999", "+43 999 999 9999"]
        #expect(Set(numbers.map { ContactAddress($0) }).count == 1)
        let different = ["user@example.com", "other@example.com", "+439999999999", "+439999999998"]
        #expect(Set(different.map { ContactAddress($0) }).count == 4)
    }

    @Test func `Printing an address only shows its last two digits or its domain`() throws {
        #expect("\(try #require(ContactAddress("+439999999912")))" == "+…12")
        #expect("\(try #require(ContactAddress("User@Example.com")))" == "…@example.com")
    }
}
