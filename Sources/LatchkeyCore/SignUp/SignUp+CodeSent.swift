public import LatchkeyModel

extension SignUp {
    /// A sign-up whose code is on its way to the phone.
    public struct CodeSent: Sendable {
        /// The id of the flow, by which the step can be rebuilt.
        public let flow: String

        /// The number that the code was sent to; nothing in a step that was rebuilt without it.
        public let phone: PhoneNumber?

        let engine: SignUpEngine

        /// Verifies the phone number.
        ///
        /// - Parameter code: The six digits; spaces and dashes do not matter.
        /// - Returns: The step that takes the rest.
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/codeInvalid`` or
        ///   ``LatchkeyError/Code/codeExpired``.
        @concurrent public func verify(_ code: String) async throws(LatchkeyError) -> PhoneVerified {
            guard let digits = OneTimeCode(code) else {
                throw engine.keeper.settled(.invalid("code", "A code has six digits.", .codeInvalid))
            }
            return try await engine.settled { engine async throws(LatchkeyError) -> PhoneVerified in
                try await engine.api.check(digits, flow: flow)
                return PhoneVerified(flow: flow, phone: phone, engine: engine)
            }
        }

        /// Has another code sent; the one before it is void then.
        ///
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/tooManyRequests``;
        ///   ``LatchkeyError/Code/invalidInput`` for a step that was rebuilt without its phone number.
        @concurrent public func resend() async throws(LatchkeyError) {
            try await engine.settled { engine async throws(LatchkeyError) -> Void in
                guard let phone else {
                    throw .invalid("traits.phone", "The step does not know its phone number.")
                }
                try await engine.api.sendCode(to: phone, flow: flow)
            }
        }
    }
}
