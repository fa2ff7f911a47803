public import LatchkeyModel

/// The second step of a sign-up, in which the user enters the code to verify their phone number.
extension SignUp {
    /// A code was sent to the user's phone.
    public struct CodeSent: Sendable {
        /// The flow's id.
        ///
        /// Use this value to restore the step later.
        public let flow: String

        /// The phone number that the code was sent to, or `nil` if the step was restored without it.
        public let phone: PhoneNumber?

        let engine: SignUpEngine

        /// Verifies the phone number by submitting the code.
        ///
        /// - Parameter code: The six-digit code, as typed by the user. Separators are ignored, and the
        ///   digits can be those of any script.
        /// - Returns: The last step, in which the account is created.
        /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/codeInvalid`` if the entered code is
        ///   incorrect, or ``LatchkeyError/Code/codeExpired`` if it has expired.
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

        /// Sends a new code.
        ///
        /// The previous code becomes invalid.
        ///
        /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/tooManyRequests`` if too many codes
        ///   were requested, or ``LatchkeyError/Code/invalidInput`` if the step was restored without its
        ///   phone number.
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
