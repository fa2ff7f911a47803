public import LatchkeyModel

/// The second step of a sign-up, which verifies the phone number with the code.
extension SignUp {
    /// A sign-up whose code was sent to the phone.
    public struct CodeSent: Sendable {
        /// The id of the flow, with which the step can be recreated.
        public let flow: String

        /// The phone number that the code was sent to; `nil` in a step that was recreated without it.
        public let phone: PhoneNumber?

        let engine: SignUpEngine

        /// Verifies the phone number.
        ///
        /// - Parameter code: The six digits; spaces and dashes are ignored.
        /// - Returns: The last step, which creates the account.
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/codeInvalid`` or
        ///   ``LatchkeyError/Code/codeExpired``.
        @concurrent public func verify(_ code: String) async throws(LatchkeyError) -> PhoneVerified {
            guard let digits = OneTimeCode(code) else {
                throw engine.keeper.settled(
                    .invalid("code", message: "The code must have six digits.", code: .codeInvalid)
                )
            }
            return try await engine.settled { engine async throws(LatchkeyError) -> PhoneVerified in
                try await engine.api.check(digits, flow: flow)
                return PhoneVerified(flow: flow, phone: phone, engine: engine)
            }
        }

        /// Sends another code, which invalidates the previous one.
        ///
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/tooManyRequests``;
        ///   ``LatchkeyError/Code/invalidInput`` for a step that was recreated without its phone number.
        @concurrent public func resend() async throws(LatchkeyError) {
            try await engine.settled { engine async throws(LatchkeyError) -> Void in
                guard let phone else {
                    throw .invalid(
                        "traits.phone",
                        message: "The phone number of this sign-up step is missing."
                    )
                }
                try await engine.api.sendCode(to: phone, flow: flow)
            }
        }
    }
}
