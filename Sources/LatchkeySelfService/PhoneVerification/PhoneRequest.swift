package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The requests that send and check the code for a phone number within a flow.
package enum PhoneRequest {
    /// The maximum size of a request body in bytes.
    static let byteLimit = 4096

    /// A parsed request for a code, whose flow has not been looked up yet.
    package struct Start: Sendable {
        /// The id of a registration flow, which has not been looked up yet.
        package let flow: Identifier
        /// The phone number to which the code is sent, in E.164 format.
        package let phone: PhoneNumber

        /// Reads the body of a `POST` request.
        ///
        /// - Throws: 400 for a malformed phone number or an unknown type, or 404 for a malformed flow id.
        package init(_ body: PhoneVerificationBody.Start) throws(ServerError) {
            try PhoneRequest.check(phoneType: body.phoneType, flowType: body.flowType)
            guard let phone = PhoneNumber(body.phoneNumber) else {
                throw ServerError(
                    400,
                    id: .phoneInvalid,
                    reason: "The phone number must consist of + and 7 to 15 digits (E.164)."
                )
            }
            flow = try PhoneRequest.flow(body.flowId)
            self.phone = phone
        }
    }

    /// A parsed guess at a code, which has not been checked yet.
    package struct Check: Sendable {
        /// The id of the flow in which the code was sent; it has not been looked up yet.
        package let flow: Identifier

        /// The code, or `nil` if the submitted text cannot be a code.
        ///
        /// Such a text is rejected without counting as a guess.
        package let code: OneTimeCode?

        /// Reads the body of a `PATCH` request.
        ///
        /// - Throws: 400 for an unknown type of phone or flow, or 404 for a malformed flow id.
        package init(_ body: PhoneVerificationBody.Check) throws(ServerError) {
            try PhoneRequest.check(phoneType: body.phoneType, flowType: body.flowType)
            flow = try PhoneRequest.flow(body.flowId)
            code = OneTimeCode(body.otp)
        }
    }

    /// Rejects the request with status 400 if the type of phone or flow is not supported.
    private static func check(phoneType: String, flowType: String) throws(ServerError) {
        guard phoneType == "PRIMARY" else { throw .malformed("phoneType must be PRIMARY.") }
        guard flowType == "REGISTRATION" else { throw .malformed("flowType must be REGISTRATION.") }
    }

    /// Parses a flow id; throws 404 if it is malformed.
    private static func flow(_ text: String) throws(ServerError) -> Identifier {
        guard let flow = Identifier(text) else { throw .notFound }
        return flow
    }
}
