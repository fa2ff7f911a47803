import LatchkeyModel

/// Signs users up in several steps.
///
/// The user first enters a phone number, then the code that was sent to it, and finally a password and a
/// name.
///
/// Each step is a value that provides the next step. You can restore a step from the id of its flow.
public struct SignUp: Sendable {
    let engine: SignUpEngine

    /// Creates the entry point for sign-ups.
    ///
    /// This initializer does not send any requests.
    package init(engine: SignUpEngine) {
        self.engine = engine
    }

    /// Starts a sign-up and sends a code to a phone number.
    ///
    /// - Parameter phone: The number with its country code, such as `+43 999 999 9999`.
    /// - Returns: The next step, in which the user enters the code.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/phoneInvalid`` if the number is invalid,
    ///   or ``LatchkeyError/Code/deliveryFailed`` if the code could not be delivered.
    @concurrent public func begin(phone: String) async throws(LatchkeyError) -> CodeSent {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeSent in
            let number = try PhoneNumber(input: phone)
            let flow = try await engine.api.begin(.registration)
            try await engine.api.sendCode(to: number, flow: flow)
            return CodeSent(flow: flow, phone: number, engine: engine)
        }
    }

    /// Recreates the step in which the user enters the code.
    ///
    /// - Parameters:
    ///   - flow: The flow's id.
    ///   - phone: The number that the code was sent to. If you omit the number, you must specify it in the
    ///     last step.
    /// - Returns: The step in which the user enters the code.
    public func codeSent(flow: String, phone: String? = nil) -> CodeSent {
        CodeSent(flow: flow, phone: phone.flatMap { PhoneNumber($0) }, engine: engine)
    }

    /// Restores the step that comes after the code has been verified.
    ///
    /// - Parameters:
    ///   - flow: The flow's id.
    ///   - phone: The verified number. If you omit the number, you must specify it when completing the
    ///     sign-up.
    /// - Returns: The last step, in which the account is created.
    public func phoneVerified(flow: String, phone: String? = nil) -> PhoneVerified {
        PhoneVerified(flow: flow, phone: phone.flatMap { PhoneNumber($0) }, engine: engine)
    }
}

extension PhoneNumber {
    /// Parses a phone number entered by the user.
    ///
    /// The error includes a message for the input field.
    init(input: String) throws(LatchkeyError) {
        guard let number = PhoneNumber(input) else {
            throw .invalid(
                "traits.phone",
                message: PhoneNumber.requirement,
                code: .phoneInvalid
            )
        }
        self = number
    }
}
