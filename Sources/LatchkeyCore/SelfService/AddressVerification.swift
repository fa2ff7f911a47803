import LatchkeyModel
import LatchkeyWire

/// Verifies addresses of the user's account with codes.
///
/// A verification does not require a session. With a session of the account, the verification also proves that
/// the user of the account controls the address.
public struct AddressVerification: Sendable {
    /// A code that was sent to an address in order to verify it.
    public struct CodeSent: Sendable {
        private let step: CodeStep

        /// The address that the code was sent to; `nil` in a step that was recreated without it.
        public let address: String?

        init(_ step: CodeStep, address: String?) {
            self.step = step
            self.address = address
        }

        /// The id of the flow, with which the step can be recreated.
        public var flow: String { step.flow }

        /// Submits the code, which verifies the address.
        ///
        /// A change of the account that waits for this verification takes effect.
        ///
        /// - Parameter code: The six digits; spaces and dashes are ignored.
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/codeInvalid`` for a code that is wrong or has
        ///   expired, or ``LatchkeyError/Code/flowExpired``.
        @concurrent public func verify(_ code: String) async throws(LatchkeyError) {
            try await step.engine.settled { _ async throws(LatchkeyError) -> Void in
                _ = try await step.submit(code).completed()
            }
        }

        /// Sends another code, which invalidates the previous one.
        ///
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/tooManyRequests``.
        @concurrent public func resend() async throws(LatchkeyError) {
            try await step.engine.settled { _ async throws(LatchkeyError) -> Void in
                try await step.resend()
            }
        }
    }

    let engine: FlowEngine

    /// Creates the entry point of a verification; no request is sent before the first step.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Sends a code to an address.
    ///
    /// An address that belongs to no account gets the same response, but no code.
    ///
    /// - Parameter address: A phone number with its country code, or an e-mail address.
    /// - Returns: The step that accepts the code.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` for a text that is not an address.
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeSent {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeSent in
            let address = try ContactAddress(input: address, field: "email")
            let flow = try await engine.begin(.verification)
            let answers = FlowAnswers(method: "code", ["email": .string(address.value)])
            let sent = try await engine.submit(answers, to: flow).codeSent()
            return CodeSent(CodeStep(sent, engine: engine), address: address.value)
        }
    }

    /// Recreates the step after a code was sent, or creates it for a flow that the server has started.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow.
    ///   - address: The address that the code was sent to, for display.
    /// - Returns: The step.
    public func codeSent(flow: String, address: String? = nil) -> CodeSent {
        CodeSent(CodeStep(.verification, id: flow, engine: engine), address: address)
    }
}

extension FlowEngine {
    /// Returns the verifications among the next steps of a submission.
    func verifications(in next: [FlowContinuation]) -> [AddressVerification.CodeSent] {
        next.compactMap { step in
            guard case .verification(let flow, let address) = step else { return nil }
            return AddressVerification(engine: self)
                .codeSent(flow: flow, address: address.isEmpty ? nil : address)
        }
    }
}
