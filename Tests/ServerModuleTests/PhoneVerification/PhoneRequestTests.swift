import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Phone verification requests` {
    private static let flow = "ef23c1db-0000-4022-873c-cf26fc1372fa"

    @Test func `Common spellings of a phone number are accepted`() throws {
        let start = try start(phone: "+43 (999) 999-9999")
        #expect(start.phone.e164 == "+439999999999")
        #expect(start.flow.description == Self.flow)
    }

    @Test(arguments: ["", "439999999999", "+4399", "+0439999999", "+43999999999999999", "phone"])
    func `An invalid phone number is rejected with the error phone_invalid`(phone: String) {
        let error = #expect(throws: ServerError.self) { try start(phone: phone) }
        #expect(error?.status == 400)
        #expect(error?.id == .phoneInvalid)
    }

    @Test(arguments: ["", "1", "ef23c1db-0000-4022-873c-cf26fc1372f", "ef23c1db00004022873ccf26fc1372fa"])
    func `A malformed flow id is treated like an unknown flow`(flow: String) {
        let error = #expect(throws: ServerError.self) { try start(flow: flow) }
        #expect(error?.status == 404)
    }

    @Test(arguments: [("SECONDARY", "REGISTRATION"), ("PRIMARY", "LOGIN"), ("primary", "REGISTRATION")])
    func `Requests with another type of phone or flow are rejected`(phoneType: String, flowType: String) {
        let started = #expect(throws: ServerError.self) {
            try start(phoneType: phoneType, flowType: flowType)
        }
        #expect(started?.status == 400)
        #expect(started?.id == nil)
        var body = PhoneVerificationBody.Check(flowId: Self.flow, otp: "271501")
        body.phoneType = phoneType
        body.flowType = flowType
        let checked = #expect(throws: ServerError.self) { try PhoneRequest.Check(body) }
        #expect(checked?.status == 400)
    }

    @Test(arguments: [
        ("271501", "271501"), ("271 501", "271501"), ("", nil), ("27150", nil), ("abcdef", nil),
    ])
    func `A code must have six digits`(text: String, digits: String?) throws {
        let check = try PhoneRequest.Check(PhoneVerificationBody.Check(flowId: Self.flow, otp: text))
        #expect(check.code?.exposed == digits)
    }

    private func start(
        phone: String = "+439999999999",
        flow: String = Self.flow,
        phoneType: String = "PRIMARY",
        flowType: String = "REGISTRATION"
    ) throws -> PhoneRequest.Start {
        var body = PhoneVerificationBody.Start(phoneNumber: phone, flowId: flow)
        body.phoneType = phoneType
        body.flowType = flowType
        return try PhoneRequest.Start(body)
    }
}
