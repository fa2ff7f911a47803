import LatchkeyModel
import LatchkeyWire

/// Verifies the addresses of the user's account with codes.
///
/// Verifying an address doesn't require a session. If the user is logged in to the account, verifying an
/// address also proves that the account's user controls the address.
public struct AddressVerification: Sendable {
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
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeStep<Void> {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeStep<Void> in
            let address = try ContactAddress(input: address, field: "email")
            let flow = try await engine.begin(.verification)
            let answers = FlowSubmission(method: "code", ["email": .string(address.value)])
            let sent = try await engine.submit(answers, to: flow).codeSent()
            return Self.step(CodeFlow(sent, engine: engine, address: address))
        }
    }

    /// Restores a step that ``sendCode(to:)`` has returned, or that the server has begun.
    ///
    /// - Parameter token: The step's token.
    /// - Returns: The step in which the user enters the code. A change of the account that was waiting for the
    ///   verification takes effect then.
    public func resume(_ token: StepToken) -> CodeStep<Void> {
        Self.step(CodeFlow(token, kinds: .verification, engine: engine))
    }

    private static func step(_ codes: CodeFlow) -> CodeStep<Void> {
        codes.step { outcome, _ throws(LatchkeyError) in _ = try outcome.completed() }
    }
}

extension FlowEngine {
    /// Returns the verifications that the server has started after a submission.
    func verifications(in next: [FlowContinuation]) -> [CodeStep<Void>] {
        next.compactMap { step in
            guard case .verification(let flow, let address) = step else { return nil }
            return AddressVerification(engine: self).resume(
                StepToken(flow: flow, kind: .verification, address: address.isEmpty ? nil : address)
            )
        }
    }
}
