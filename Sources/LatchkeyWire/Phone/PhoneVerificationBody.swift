/// The JSON bodies of `/identity/verification/flow/phone`.
package enum PhoneVerificationBody {
    /// A request to send a code, the body of the `POST`.
    package struct Start: Sendable, Codable {
        /// The phone number in E.164 form.
        package var phoneNumber: String
        /// Always `PRIMARY`.
        package var phoneType: String
        /// The ID of the registration flow.
        package var flowId: String
        /// Always `REGISTRATION`.
        package var flowType: String

        /// Creates the body; the number is in E.164 form.
        package init(phoneNumber: String, flowId: String) {
            self.phoneNumber = phoneNumber
            phoneType = "PRIMARY"
            self.flowId = flowId
            flowType = "REGISTRATION"
        }
    }

    /// A submitted code, the body of the `PATCH`.
    package struct Check: Sendable, Codable {
        /// Always `PRIMARY`.
        package var phoneType: String
        /// The ID of the registration flow.
        package var flowId: String
        /// The code, six digits.
        package var otp: String
        /// Always `REGISTRATION`.
        package var flowType: String

        /// Creates the body with the code from the flow's latest text message.
        package init(flowId: String, otp: String) {
            phoneType = "PRIMARY"
            self.flowId = flowId
            self.otp = otp
            flowType = "REGISTRATION"
        }
    }

    /// The response to a correct code.
    package struct Verified: Sendable, Codable {
        /// A string for developers; clients use the status of the response.
        package var message: String

        package init(message: String) {
            self.message = message
        }
    }
}
