/// The JSON bodies for `/identity/verification/flow/phone`.
package enum PhoneVerificationBody {
    /// The body of a `POST` request to send a code.
    package struct Start: Sendable, Codable {
        /// The phone number in E.164 format.
        package var phoneNumber: String
        /// Always `PRIMARY`.
        package var phoneType: String
        /// The ID of the registration flow.
        package var flowId: String
        /// Always `REGISTRATION`.
        package var flowType: String

        /// Creates a request to send a code.
        ///
        /// The phone number must be in E.164 format.
        package init(phoneNumber: String, flowId: String) {
            self.phoneNumber = phoneNumber
            phoneType = "PRIMARY"
            self.flowId = flowId
            flowType = "REGISTRATION"
        }
    }

    /// The body of a `PATCH` request to verify a code.
    package struct Check: Sendable, Codable {
        /// Always `PRIMARY`.
        package var phoneType: String
        /// The ID of the registration flow.
        package var flowId: String
        /// The six-digit code.
        package var otp: String
        /// Always `REGISTRATION`.
        package var flowType: String

        /// Creates a request to verify a code.
        ///
        /// `otp` is the code from the most recent text message for this flow.
        package init(flowId: String, otp: String) {
            phoneType = "PRIMARY"
            self.flowId = flowId
            self.otp = otp
            flowType = "REGISTRATION"
        }
    }

    /// The empty response if the code was sent.
    package enum Sent: AnswerBody {
        package static let statuses: Set<Int> = [201]
        package static let isEmpty = true
    }

    /// The response if the code was correct.
    package struct Verified: AnswerBody, Codable {
        /// A message for developers.
        ///
        /// Clients should check the response status instead of this message.
        package var message: String

        package init(message: String) {
            self.message = message
        }
    }
}
