import LatchkeyModel
import LatchkeyWire

/// Verifies the addresses of the user's account with codes.
///
/// Verifying an address doesn't require a session. If the user is logged in to the account, verifying an
/// address also proves that the account's user controls the address.
public struct AddressVerification: Sendable {
    /// A code was sent to an address to verify it.
    public struct CodeSent: Sendable {
        private let step: CodeStep

        /// The address that the code was sent to, or `nil` if the step was restored without it.
        public let address: String?

        init(_ step: CodeStep, address: String?) {
            self.step = step
            self.address = address
        }

        /// The flow's id.
        ///
        /// Use this value to restore the step later.
        public var flow: String { step.flow }

        /// Verifies the address by submitting the code.
        ///
        /// If a change to the account was waiting for this verification, it takes effect now.
        ///
        /// - Parameter code: The six-digit code, as typed by the user. Separators are ignored, and the
        ///   digits can be those of any script.
        /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/codeInvalid`` if the entered code is
        ///   incorrect or has expired, or ``LatchkeyError/Code/flowExpired`` if the flow has expired.
        @concurrent public func verify(_ code: String) async throws(LatchkeyError) {
            try await step.engine.settled { _ async throws(LatchkeyError) -> Void in
                _ = try await step.submit(code).completed()
            }
        }

        /// Sends a new code.
        ///
        /// The previous code becomes invalid.
        ///
        /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/tooManyRequests`` if too many codes
        ///   were requested.
        @concurrent public func resend() async throws(LatchkeyError) {
            try await step.engine.settled { _ async throws(LatchkeyError) -> Void in
                try await step.resend()
            }
        }
    }

    let engine: FlowEngine

    /// Creates the entry point for verifying addresses.
    ///
    /// This initializer does not send any requests.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Sends a code to an address.
    ///
    /// If the address doesn't belong to an account, the response is the same, but no code is sent.
    ///
    /// - Parameter address: A phone number with its country code, or an e-mail address.
    /// - Returns: The next step, in which the user enters the code.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if the text isn't a valid
    ///   address.
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeSent {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeSent in
            let address = try ContactAddress(input: address, field: "email")
            let flow = try await engine.begin(.verification)
            let answers = FlowAnswers(method: "code", ["email": .string(address.value)])
            let sent = try await engine.submit(answers, to: flow).codeSent()
            return CodeSent(CodeStep(sent, engine: engine), address: address.value)
        }
    }

    /// Restores the step for entering a code, or creates it for a flow that the server has started.
    ///
    /// - Parameters:
    ///   - flow: The flow's id.
    ///   - address: The address that the code was sent to, for display only.
    /// - Returns: The step in which the user enters the code.
    public func codeSent(flow: String, address: String? = nil) -> CodeSent {
        CodeSent(CodeStep(.verification, id: flow, engine: engine), address: address)
    }
}

extension FlowEngine {
    /// Returns the verifications that the server has started after a submission.
    func verifications(in next: [FlowContinuation]) -> [AddressVerification.CodeSent] {
        next.compactMap { step in
            guard case .verification(let flow, let address) = step else { return nil }
            return AddressVerification(engine: self)
                .codeSent(flow: flow, address: address.isEmpty ? nil : address)
        }
    }
}

extension AddressVerification.CodeSent: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["flow": flow, "address": address.map { Masked($0) } as Any],
            displayStyle: .struct
        )
    }
}
