import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import Testing

@Suite struct `Keys for one-time codes` {
    private let keys = CodeKeys(secrets: ServerSecrets(signing: [UInt8](repeating: 1, count: 32)))
    private let flow = Identifier(high: 1, low: 2)
    private let code: OneTimeCode
    private let phone: String

    init() throws {
        code = try #require(OneTimeCode("271501"))
        phone = "+439999999999"
    }

    @Test func `The MAC of a code can be verified`() {
        let sealed = keys.seal(code, flow: flow, address: phone)
        #expect(keys.matches(code, sealed: sealed, flow: flow, address: phone))
    }

    @Test func `The MAC depends on the code, the flow and the phone number`() throws {
        let sealed = keys.seal(code, flow: flow, address: phone)
        let otherCode = try #require(OneTimeCode("271502"))
        let otherPhone = "+439999999998"
        let otherFlow = Identifier(high: 1, low: 3)
        #expect(!keys.matches(otherCode, sealed: sealed, flow: flow, address: phone))
        #expect(!keys.matches(code, sealed: sealed, flow: otherFlow, address: phone))
        #expect(!keys.matches(code, sealed: sealed, flow: flow, address: otherPhone))
    }

    @Test func `Moving a digit between the code and the phone number changes the MAC`() {
        let short = "+4399999999"
        let long = "+43999999992"
        #expect(keys.seal(code, flow: flow, address: short) != keys.seal(code, flow: flow, address: long))
    }

    @Test func `Codes that were created before a secret was rotated can still be verified`() {
        let old = [UInt8](repeating: 1, count: 32)
        let new = [UInt8](repeating: 2, count: 32)
        let sealed = keys.seal(code, flow: flow, address: phone)
        let rotated = CodeKeys(secrets: ServerSecrets(signing: new, older: [old]))
        #expect(rotated.matches(code, sealed: sealed, flow: flow, address: phone))
        #expect(rotated.seal(code, flow: flow, address: phone) != sealed)
        let other = CodeKeys(secrets: ServerSecrets(signing: new))
        #expect(!other.matches(code, sealed: sealed, flow: flow, address: phone))
    }
}
