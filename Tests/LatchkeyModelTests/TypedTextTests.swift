import LatchkeyModel
import TestSpellings
import Testing

@Suite struct `Typed text` {
    @Test(arguments: TypedSpellings.phones)
    func `A phone number has one value in every spelling`(_ spelling: TypedSpellings.Text) {
        #expect(PhoneNumber(spelling.typed)?.e164 == spelling.value)
    }

    @Test(
        arguments: TypedSpellings.phones.filter { $0.value == nil }.map(\.typed) + [
            "5", "+", "tel:", "0999999x5",
        ]
    )
    func `A malformed phone number is recognized as one`(typed: String) {
        #expect(PhoneNumber(typed) == nil)
        #expect(PhoneNumber.resembles(typed))
    }

    @Test(
        arguments: TypedSpellings.names.map(\.typed) + TypedSpellings.emails.map(\.typed) + [
            "", "7reader", "1234567x", "1234567 reader", "12345 x5", "x5", "½", "五五五",
        ]
    )
    func `A user name or an e-mail address isn't taken for a phone number`(typed: String) {
        #expect(!PhoneNumber.resembles(typed))
    }

    @Test(arguments: TypedSpellings.emails)
    func `An e-mail address has one value in every spelling`(_ spelling: TypedSpellings.Text) {
        #expect(EmailAddress(spelling.typed)?.normalized == spelling.value)
        #expect(ContactAddress(spelling.typed)?.value == spelling.value)
    }

    @Test(arguments: TypedSpellings.codes)
    func `A code has one value in every spelling`(_ spelling: TypedSpellings.Code) {
        for code in ["271501", "000000", "987654"] {
            #expect(OneTimeCode(spelling.spell(code))?.exposed == (spelling.isCode ? code : nil))
        }
    }

    @Test(arguments: UInt64(0)..<500)
    func `A phone number that is typed in any script, with any separators, keeps its digits`(seed: UInt64) {
        var typist = Typist(seed: seed)
        let number = "+" + typist.number(7 + typist.next(below: 9))
        let typed = typist.type(number)

        #expect(PhoneNumber(typed)?.e164 == number, "\(typed.debugDescription)")
    }

    @Test(arguments: UInt64(0)..<500)
    func `A code that is typed in any script, with any separators, keeps its digits`(seed: UInt64) {
        var typist = Typist(seed: seed)
        let code = String(typist.number(7).dropFirst())
        let typed = typist.type(code)

        #expect(OneTimeCode(typed)?.exposed == code, "\(typed.debugDescription)")
    }

    @Test(arguments: UInt64(0)..<500)
    func `Text with any other character is rejected rather than read as another number or code`(seed: UInt64)
    {
        var typist = Typist(seed: seed)
        let phone = typist.spoil(typist.type("+" + typist.number(12)))
        let code = typist.spoil(typist.type(typist.number(6)))

        #expect(PhoneNumber(phone) == nil, "\(phone.debugDescription)")
        #expect(OneTimeCode(code) == nil, "\(code.debugDescription)")
        #expect(TypedText.digits(of: code) == nil, "\(code.debugDescription)")
    }

    @Test(arguments: UInt64(0)..<500)
    func `Digits that are missing or left over are never made up for`(seed: UInt64) {
        var typist = Typist(seed: seed)
        for count in [1, 5, 7, 12] {
            let typed = typist.type(typist.number(count))
            #expect(OneTimeCode(typed) == nil, "\(typed.debugDescription)")
        }
        for number in ["+" + typist.number(6), "+" + typist.number(16), "00" + typist.number(10)] {
            let typed = typist.type(number)
            #expect(PhoneNumber(typed) == nil, "\(typed.debugDescription)")
        }
    }

    @Test(arguments: [
        ("٤٢", "42"), ("-１.５", "-1.5"), ("42", "42"), ("４２ ", "42 "), ("Ⅳ", "Ⅳ"), ("²", "²"), ("", ""),
    ])
    func `Only the digits of a number are mapped if its signs have a meaning`(typed: String, mapped: String) {
        #expect(TypedText.withASCIIDigits(typed) == mapped)
    }

    @Test func `Very long text is neither a phone number nor a code`() {
        let spaces = String(repeating: " ", count: 60_000)

        #expect(PhoneNumber(spaces + "+439999999999") == nil)
        #expect(OneTimeCode(spaces + "271501") == nil)
        #expect(PhoneNumber(String(repeating: "\u{AD}", count: 30_000)) == nil)
    }
}
