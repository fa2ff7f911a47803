package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Requests that send or check a code for a phone number.
package enum PhoneRequest {
    /// The maximum size of a request body in bytes.
    static let byteLimit = 4096

    /// A parsed request to send a code.
    ///
    /// The flow hasn't been looked up yet.
    package struct Start: Sendable {
        /// The id of the registration flow.
        package let flow: Identifier
        /// The phone number to send the code to, in E.164 format.
        package let phone: PhoneNumber

        /// Parses the body of a `POST` request.
        ///
        /// - Throws: A ``ServerError`` with status 400 if the phone number is malformed or a type is unknown,
        ///   or 404 if the flow id is malformed.
        package init(_ body: PhoneVerificationBody.Start) throws(ServerError) {
            try PhoneRequest.check(phoneType: body.phoneType, flowType: body.flowType)
            guard let phone = PhoneNumber(body.phoneNumber) else {
                throw ServerError(
                    400,
                    id: .phoneInvalid,
                    reason: "The phone number must be + followed by 7 to 15 digits (E.164)."
                )
            }
            flow = try PhoneRequest.flow(body.flowId)
            self.phone = phone
        }
    }

    /// A parsed request to check a code.
    ///
    /// The flow hasn't been looked up yet.
    package struct Check: Sendable {
        /// The id of the flow in which the code was sent.
        package let flow: Identifier

        /// The code, or `nil` if the submitted text isn't a valid code.
        ///
        /// If this is `nil`, the request is rejected without counting a guess.
        package let code: OneTimeCode?

        /// Parses the body of a `PATCH` request.
        ///
        /// - Throws: A ``ServerError`` with status 400 if the type of phone or flow is unknown, or 404 if the
        ///   flow id is malformed.
        package init(_ body: PhoneVerificationBody.Check) throws(ServerError) {
            try PhoneRequest.check(phoneType: body.phoneType, flowType: body.flowType)
            flow = try PhoneRequest.flow(body.flowId)
            code = OneTimeCode(body.otp)
        }
    }

    /// Rejects the request with status 400 if the type of phone or flow isn't supported.
    private static func check(phoneType: String, flowType: String) throws(ServerError) {
        guard phoneType == "PRIMARY" else { throw .malformed("phoneType must be PRIMARY.") }
        guard flowType == "REGISTRATION" else { throw .malformed("flowType must be REGISTRATION.") }
    }

    /// Parses a flow id.
    ///
    /// Throws a ``ServerError`` with status 404 if the id is malformed.
    private static func flow(_ text: String) throws(ServerError) -> Identifier {
        guard let flow = Identifier(text) else { throw .notFound }
        return flow
    }
}
