import LatchkeyModel
import Testing

@Suite struct `E-mail addresses` {
    @Test(arguments: [
        "user@example.com", "first.last+tag@mail.example.co.uk", "o'brien@example.com", "a@b.cd",
        "x_y-z@xn--mnchen-3ya.de", "jürgen@münchen.de", "用户@例子.公司", "1@2.3com", "a@1.2.com",
        "\(String(repeating: "a", count: 64))@example.com",
    ])
    func `Common e-mail addresses can be parsed`(text: String) {
        #expect(EmailAddress(text)?.address == text)
    }

    @Test(arguments: [
        "", "@", "user", "user@", "@example.com", "user@localhost", "a@b@example.com", "user@example..com",
        "user@.example.com", "user@example.com.", "user@-example.com", "user@example-.com",
        ".user@example.com",
        "user.@example.com", "us..er@example.com", "us er@example.com", "user@exa mple.com",
        "user@exam_ple.com",
        "\"user\"@example.com", "user@[127.0.0.1]", "user@127.0.0.1", "us,er@example.com",
        "<user@example.com>",
        "user(comment)@example.com", "user\u{0}@example.com", "user\r\nBcc:x@example.com",
        "user@exam\nple.com",
        "user\u{200B}@example.com", "user\u{202E}@example.com", "user@exa\u{AD}mple.com",
        "us\u{A0}er@example.com",
        "\(String(repeating: "a", count: 65))@example.com",
        "a@\(String(repeating: "b", count: 64)).com",
        "a@\(String(repeating: "bbbbbbbbb.", count: 26))com",
    ])
    func `Text that is not an e-mail address is rejected`(text: String) {
        #expect(EmailAddress(text) == nil)
    }

    // A separator followed by a combining mark is a single `Character`, so comparing characters would miss
    // the separator.
    @Test(arguments: [
        "a@\u{301}b@example.com", ".\u{301}a@example.com", "a.\u{301}.b@example.com",
        "a.\u{301}@example.com.",
        "a,\u{301}b@example.com", "a@-\u{301}example.com",
    ])
    func `A separator before a combining mark is recognized`(text: String) {
        let address = EmailAddress(text)?.address

        #expect(address == nil || address?.utf8.count { $0 == UInt8(ascii: "@") } == 1)
        #expect(address?.utf8.first != UInt8(ascii: "."))
        #expect(address?.utf8.contains(UInt8(ascii: ",")) != true)
    }

    @Test func `Case and surrounding white space are ignored`() {
        #expect(EmailAddress(" User@Example.COM\n")?.address == "User@Example.COM")
        #expect(EmailAddress("User@Example.COM")?.normalized == EmailAddress("user@example.com")?.normalized)
    }

    @Test func `Printing an e-mail address only shows its domain`() throws {
        let address = try #require(EmailAddress("user@example.com"))

        #expect("\(address)" == "…@example.com")
    }
}
