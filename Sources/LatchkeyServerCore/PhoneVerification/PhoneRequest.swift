package import LatchkeyModel
package import LatchkeyWire

/// What both requests to verify a phone number say about their flow.
package enum PhoneRequest {
    /// The most bytes that the body of such a request may have.
    static let byteLimit = 4096

    /// A request for a code, understood but not yet allowed.
    package struct Start: Sendable {
        package let flow: Identifier
        package let phone: PhoneNumber

        /// Reads the body of a `POST`.
        ///
        /// - Throws: 400 for what is not understood, 404 for what cannot be the id of a flow.
        package init(_ body: PhoneVerificationBody.Start) throws(ServerError) {
            try PhoneRequest.check(phoneType: body.phoneType, flowType: body.flowType)
            guard let phone = PhoneNumber(body.phoneNumber) else {
                throw ServerError(
                    400,
                    .phoneInvalid,
                    reason: "The phone number has another form than + and 7 to 15 digits (E.164)."
                )
            }
            flow = try PhoneRequest.flow(body.flowId)
            self.phone = phone
        }
    }

    /// A guess, understood but not yet judged.
    package struct Check: Sendable {
        package let flow: Identifier
        /// The code; nothing when the text has not the form of one, and so can never be right.
        package let code: OneTimeCode?

        /// Reads the body of a `PATCH`.
        ///
        /// - Throws: 400 for what is not understood, 404 for what cannot be the id of a flow.
        package init(_ body: PhoneVerificationBody.Check) throws(ServerError) {
            try PhoneRequest.check(phoneType: body.phoneType, flowType: body.flowType)
            flow = try PhoneRequest.flow(body.flowId)
            code = OneTimeCode(body.otp)
        }
    }

    private static func check(phoneType: String, flowType: String) throws(ServerError) {
        guard phoneType == "PRIMARY" else { throw .malformed("The only phoneType is PRIMARY.") }
        guard flowType == "REGISTRATION" else { throw .malformed("The only flowType is REGISTRATION.") }
    }

    private static func flow(_ text: String) throws(ServerError) -> Identifier {
        guard let flow = Identifier(text) else { throw .notFound }
        return flow
    }
}
