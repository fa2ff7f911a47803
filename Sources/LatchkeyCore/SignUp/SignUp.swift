import LatchkeyModel

/// A multi-step sign-up: the user enters a phone number, then the code sent to it, then a password and a name.
///
/// Each step is a value that provides the next step. A step can be recreated from the id of its flow.
public struct SignUp: Sendable {
    let engine: SignUpEngine

    /// Creates the entry point of a sign-up; no request is sent before the first step.
    package init(engine: SignUpEngine) {
        self.engine = engine
    }

    /// Starts a sign-up and sends a code to a phone number.
    ///
    /// - Parameter phone: The number with its country code, such as `+43 999 999 9999`.
    /// - Returns: The step that verifies the code.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/phoneInvalid`` or
    ///   ``LatchkeyError/Code/deliveryFailed``.
    @concurrent public func begin(phone: String) async throws(LatchkeyError) -> CodeSent {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeSent in
            let number = try PhoneNumber(input: phone)
            let flow = try await engine.api.begin(.registration)
            try await engine.api.sendCode(to: number, flow: flow)
            return CodeSent(flow: flow, phone: number, engine: engine)
        }
    }

    /// Recreates the step after the code was sent.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow.
    ///   - phone: The number that the code was sent to; if omitted, it must be passed to the last step.
    /// - Returns: The step.
    public func codeSent(flow: String, phone: String? = nil) -> CodeSent {
        CodeSent(flow: flow, phone: phone.flatMap { PhoneNumber($0) }, engine: engine)
    }

    /// Recreates the step after the code was verified.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow.
    ///   - phone: The verified number; if omitted, it must be passed when finishing the sign-up.
    /// - Returns: The step.
    public func phoneVerified(flow: String, phone: String? = nil) -> PhoneVerified {
        PhoneVerified(flow: flow, phone: phone.flatMap { PhoneNumber($0) }, engine: engine)
    }
}

extension PhoneNumber {
    /// Parses the user's input, and throws an error to show next to the input field.
    init(input: String) throws(LatchkeyError) {
        guard let number = PhoneNumber(input) else {
            throw .invalid(
                "traits.phone",
                message: "The phone number must start with + and the country code and have 7 to 15 digits.",
                code: .phoneInvalid
            )
        }
        self = number
    }
}
