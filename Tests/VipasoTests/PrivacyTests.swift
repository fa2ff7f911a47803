import Testing
import VipasoSDK

@Suite struct `Vipaso requests and responses` {
    @Test func `Descriptions of requests contain no secrets`() {
        let values: [Any] = [
            VerifyPhoneNumberRequest(flowID: "f", otp: "271501"),
            LoginRequest(identifier: "x", password: "271501"),
            FinishSignupRequest(
                flowID: "f",
                password: "271501",
                email: nil,
                firstName: "A",
                lastName: "B",
                phoneNumber: "+439999999999"
            ),
        ]

        for value in values {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains("271501"))
        }
    }
}
