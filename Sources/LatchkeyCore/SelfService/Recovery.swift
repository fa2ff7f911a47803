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
    /// A code was sent to a recovery address.
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

        /// Submits the code and stores the new session.
        ///
        /// The server revokes all other sessions of the account.
        ///
        /// - Parameter code: The six-digit code, as typed by the user. Separators are ignored, and the
        ///   digits can be those of any script.
        /// - Returns: The next step, in which the user sets a new password.
        /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/codeInvalid`` if the entered code is
        ///   incorrect or has expired, or ``LatchkeyError/Code/flowExpired`` if the flow has expired. If
        ///   there is already a session on this device, it isn't changed.
        @concurrent public func verify(_ code: String) async throws(LatchkeyError) -> Recovered {
            try await step.engine.settled { engine async throws(LatchkeyError) -> Recovered in
                Recovered(session: try await step.submit(code).session(), engine: engine)
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
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeSent {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeSent in
            let address = try ContactAddress(input: address, field: "email")
            let flow = try await engine.begin(.recovery)
            let answers = FlowAnswers(method: "code", ["email": .string(address.value)])
            let sent = try await engine.submit(answers, to: flow).codeSent()
            return CodeSent(CodeStep(sent, engine: engine), address: address.value)
        }
    }

    /// Restores the step for entering a code.
    ///
    /// - Parameters:
    ///   - flow: The flow's id.
    ///   - address: The address that the code was sent to, for display only.
    /// - Returns: The step in which the user enters the code.
    public func codeSent(flow: String, address: String? = nil) -> CodeSent {
        CodeSent(CodeStep(.recovery, id: flow, engine: engine), address: address)
    }
}

extension Recovery.CodeSent: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["flow": flow, "address": address.map { Masked($0) } as Any],
            displayStyle: .struct
        )
    }
}
