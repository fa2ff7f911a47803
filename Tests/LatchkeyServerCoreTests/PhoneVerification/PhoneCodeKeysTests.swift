import LatchkeyModel
import LatchkeyServerCore
import Testing

@Suite struct `Phone code keys` {
    private let keys = PhoneCodeKeys(secrets: ServerSecrets(signing: [UInt8](repeating: 1, count: 32)))
    private let flow = Identifier(high: 1, low: 2)
    private let code: OneTimeCode
    private let phone: PhoneNumber

    init() throws {
        code = try #require(OneTimeCode("271501"))
        phone = try #require(PhoneNumber("+439999999999"))
    }

    @Test func `recognise the code that they sealed`() {
        let sealed = keys.seal(code, flow: flow, phone: phone)
        #expect(keys.matches(code, sealed: sealed, flow: flow, phone: phone))
    }

    @Test func `bind it to its digits, its flow and its number`() throws {
        let sealed = keys.seal(code, flow: flow, phone: phone)
        let otherCode = try #require(OneTimeCode("271502"))
        let otherPhone = try #require(PhoneNumber("+439999999998"))
        let otherFlow = Identifier(high: 1, low: 3)
        #expect(!keys.matches(otherCode, sealed: sealed, flow: flow, phone: phone))
        #expect(!keys.matches(code, sealed: sealed, flow: otherFlow, phone: phone))
        #expect(!keys.matches(code, sealed: sealed, flow: flow, phone: otherPhone))
    }

    @Test func `do not take digits of the number for digits of the code`() throws {
        let short = try #require(PhoneNumber("+4399999999"))
        let long = try #require(PhoneNumber("+43999999992"))
        #expect(keys.seal(code, flow: flow, phone: short) != keys.seal(code, flow: flow, phone: long))
    }

    @Test func `go on taking codes of a secret that was replaced`() {
        let old = [UInt8](repeating: 1, count: 32)
        let new = [UInt8](repeating: 2, count: 32)
        let sealed = keys.seal(code, flow: flow, phone: phone)
        let rotated = PhoneCodeKeys(secrets: ServerSecrets(signing: new, older: [old]))
        #expect(rotated.matches(code, sealed: sealed, flow: flow, phone: phone))
        #expect(rotated.seal(code, flow: flow, phone: phone) != sealed)
        let stranger = PhoneCodeKeys(secrets: ServerSecrets(signing: new))
        #expect(!stranger.matches(code, sealed: sealed, flow: flow, phone: phone))
    }
}
