/// The bodies of `/identity/verification/flow/phone` (`contract/vipaso.md`).
package enum PhoneVerificationBody {
    /// Asks for a code: the body of the `POST`.
    package struct Start: Sendable, Codable {
        package var phoneNumber: String
        package var phoneType: String
        package var flowId: String
        package var flowType: String

        package init(phoneNumber: String, flowId: String) {
            self.phoneNumber = phoneNumber
            phoneType = "PRIMARY"
            self.flowId = flowId
            flowType = "REGISTRATION"
        }
    }

    /// Hands in a code: the body of the `PATCH`.
    package struct Check: Sendable, Codable {
        package var phoneType: String
        package var flowId: String
        package var otp: String
        package var flowType: String

        package init(flowId: String, otp: String) {
            phoneType = "PRIMARY"
            self.flowId = flowId
            self.otp = otp
            flowType = "REGISTRATION"
        }
    }

    /// The answer to the right code.
    package struct Verified: Sendable, Codable {
        package var message: String

        package init(message: String) {
            self.message = message
        }
    }
}
