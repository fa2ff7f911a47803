import LatchkeyModel

/// Signs users up in several steps.
///
/// The user first enters a phone number, then the code that was sent to it, and finally a password and a
/// name.
///
/// Each step is a value that provides the next step. You can restore a step from its token.
public struct SignUp: Sendable {
    let engine: FlowEngine

    /// Creates the entry point for sign-ups.
    ///
    /// This initializer does not send any requests.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Starts a sign-up and sends a code to a phone number.
    ///
    /// - Parameter phone: The number with its country code, such as `+43 999 999 9999`.
    /// - Returns: The next step, in which the user enters the code.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/phoneInvalid`` if the number is invalid,
    ///   or ``LatchkeyError/Code/deliveryFailed`` if the code could not be delivered.
    @concurrent public func begin(phone: String) async throws(LatchkeyError) -> CodeStep<PhoneVerified> {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeStep<PhoneVerified> in
            let number = try PhoneNumber(input: phone)
            let flow = try await engine.begin(.registration).id
            try await engine.api.sendCode(to: number, flow: flow)
            return engine.codeStep(flow: flow, phone: number)
        }
    }

    /// Restores a step that ``begin(phone:)`` has returned.
    ///
    /// - Parameter token: The step's token. If it doesn't contain the phone number, you must specify it in the last
    ///   step.
    /// - Returns: The step in which the user enters the code.
    public func resume(_ token: StepToken) -> CodeStep<PhoneVerified> {
        engine.codeStep(flow: token.flow, phone: token.address.flatMap { PhoneNumber($0) })
    }

    /// Restores the last step of a sign-up.
    ///
    /// - Parameter token: The step's token (``PhoneVerified/token``). If it doesn't contain the phone number, you must
    ///   specify it when completing the sign-up.
    /// - Returns: The last step, in which the account is created.
    public func resumeVerified(_ token: StepToken) -> PhoneVerified {
        PhoneVerified(
            flow: token.flow,
            phone: token.address.flatMap { PhoneNumber($0) },
            engine: engine
        )
    }
}

extension FlowEngine {
    /// Returns the step in which the user enters the code that was sent to their phone.
    fileprivate func codeStep(flow: String, phone: PhoneNumber?) -> CodeStep<SignUp.PhoneVerified> {
        CodeStep(
            keeper: keeper,
            token: { StepToken(flow: flow, kind: .registration, address: phone?.e164) },
            submit: { code throws(LatchkeyError) in
                guard let digits = OneTimeCode(code) else {
                    throw .invalid("code", message: "The code must have six digits.", code: .codeInvalid)
                }
                try await api.check(digits, flow: flow)
                return SignUp.PhoneVerified(flow: flow, phone: phone, engine: self)
            },
            sendAgain: { () throws(LatchkeyError) in
                guard let phone else {
                    throw .invalid(
                        "traits.phone",
                        message: "The phone number of this sign-up step is missing."
                    )
                }
                try await api.sendCode(to: phone, flow: flow)
            }
        )
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
