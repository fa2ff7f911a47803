import LatchkeyModel
import LatchkeyWire

/// Recovers accounts whose users have forgotten the password, with a code sent to a recovery address.
///
/// ```swift
/// let sent = try await latchkey.recovery.sendCode(to: "user@example.org")
/// let recovered = try await sent.verify("271501")
/// try await recovered.setPassword(newPassword)
/// ```
public struct Recovery: Sendable {
    /// A code that was sent to a recovery address.
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

        /// Submits the code, and stores the session that it opens; all other sessions of the account end.
        ///
        /// - Parameter code: The six digits; spaces and dashes are ignored.
        /// - Returns: The step in which the user sets a new password.
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/codeInvalid`` for a code that is wrong or has
        ///   expired, or ``LatchkeyError/Code/flowExpired``; an existing session on this device is unchanged.
        @concurrent public func verify(_ code: String) async throws(LatchkeyError) -> Recovered {
            try await step.engine.settled { engine async throws(LatchkeyError) -> Recovered in
                Recovered(session: try await step.submit(code).session(), engine: engine)
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

    /// An account that was recovered; its user is logged in and has to set a new password.
    public struct Recovered: Sendable {
        /// The session.
        public let session: UserSession

        let engine: FlowEngine

        /// Sets a new password.
        ///
        /// The server accepts it without the old password for a limited time after the recovery.
        ///
        /// - Parameter password: The new password.
        /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` for a password that the
        ///   server's policy does not allow.
        @concurrent public func setPassword(_ password: String) async throws(LatchkeyError) {
            try await Account(engine: engine).changePassword(to: password)
        }
    }

    let engine: FlowEngine

    /// Creates the entry point of a recovery; no request is sent before the first step.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Sends a code to a recovery address.
    ///
    /// An address that belongs to no account gets the same response, but no code.
    ///
    /// - Parameter address: A phone number with its country code, or an e-mail address.
    /// - Returns: The step that accepts the code.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` for a text that is not an address.
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeSent {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeSent in
            let address = try ContactAddress(input: address, field: "email")
            let flow = try await engine.begin(.recovery)
            let answers = FlowAnswers(method: "code", ["email": .string(address.value)])
            let sent = try await engine.submit(answers, to: flow).codeSent()
            return CodeSent(CodeStep(sent, engine: engine), address: address.value)
        }
    }

    /// Recreates the step after a code was sent.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow.
    ///   - address: The address that the code was sent to, for display.
    /// - Returns: The step.
    public func codeSent(flow: String, address: String? = nil) -> CodeSent {
        CodeSent(CodeStep(.recovery, id: flow, engine: engine), address: address)
    }
}
