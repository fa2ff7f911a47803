import LatchkeyModel
import LatchkeyWire

/// Recovers the accounts of users who have forgotten their password.
///
/// A code is sent to a recovery address.
///
/// ```swift
/// let sent = try await latchkey.recovery.sendCode(to: "user@example.org")
/// let recovered = try await sent.verify("271501")
/// try await recovered.setPassword(newPassword)
/// ```
public struct Recovery: Sendable {
    /// A recovered account.
    ///
    /// The user is logged in and has to set a new password.
    public struct Recovered: Sendable {
        /// The user's new session.
        public let session: UserSession

        let engine: FlowEngine

        /// Sets a new password.
        ///
        /// For a limited time after the recovery, the server doesn't require the old password.
        ///
        /// - Parameter password: The new password.
        /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if the server's
        ///   password policy rejects the password.
        @concurrent public func setPassword(_ password: String) async throws(LatchkeyError) {
            try await Account(engine: engine).changePassword(to: password)
        }
    }

    let engine: FlowEngine

    /// Creates the entry point for recovering accounts.
    ///
    /// This initializer does not send any requests.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Sends a code to a recovery address.
    ///
    /// If the address doesn't belong to an account, the response is the same, but no code is sent.
    ///
    /// - Parameter address: A phone number with its country code, or an e-mail address.
    /// - Returns: The next step, in which the user enters the code.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if the text isn't a valid
    ///   address.
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeStep<Recovered> {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeStep<Recovered> in
            let address = try ContactAddress(input: address, field: "email")
            let flow = try await engine.begin(.recovery)
            let answers = FlowSubmission(method: "code", ["email": .string(address.value)])
            let sent = try await engine.submit(answers, to: flow).codeSent()
            return Self.step(CodeFlow(sent, engine: engine, address: address))
        }
    }

    /// Restores a step that ``sendCode(to:)`` has returned.
    ///
    /// - Parameter token: The step's token.
    /// - Returns: The step in which the user enters the code.
    public func resume(_ token: StepToken) -> CodeStep<Recovered> {
        Self.step(CodeFlow(token, kinds: .recovery, engine: engine))
    }

    private static func step(_ codes: CodeFlow) -> CodeStep<Recovered> {
        codes.step { outcome, codes throws(LatchkeyError) in
            Recovered(session: try outcome.session(), engine: codes.engine)
        }
    }
}
