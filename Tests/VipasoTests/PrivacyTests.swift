import Testing
import VipasoSDK

@Suite struct `Vipaso requests and responses` {
    @Test func `Printed requests contain no secrets and no personal data`() {
        let values: [Any] = [
            StartSignupRequest(phoneNumber: "+439999999999"),
            VerifyPhoneNumberRequest(flowID: "f", otp: "271501"),
            LoginRequest(identifier: "ada@example.org", password: "271501"),
            FinishSignupRequest(
                flowID: "f",
                password: "271501",
                email: "ada@example.org",
                firstName: "Ada",
                lastName: "Lovelace",
                phoneNumber: "+439999999999"
            ),
        ]

        for value in values {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            for part in ["271501", "99999", "ada@", "Ada", "Lovelace"] {
                #expect(!text.contains(part), "\(text)")
            }
        }
    }
}
