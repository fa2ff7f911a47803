import LatchkeyModel
import LatchkeyWire

/// Logs users in with a code that is sent to their phone number or e-mail address.
///
/// ```swift
/// let sent = try await latchkey.signIn.sendCode(to: "user@example.org")
/// let session = try await sent.verify("271501")
/// ```
public struct CodeSignIn: Sendable {
    let engine: FlowEngine

    /// Creates the entry point of a login; no request is sent before the first step.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Sends a code to the address of an existing account.
    ///
    /// Depending on the server, an unknown address gets the same response as a known one, but no code.
    ///
    /// - Parameter address: A phone number with its country code, or an e-mail address.
    /// - Returns: The step that accepts the code.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` for a text that is not an address,
    ///   ``LatchkeyError/Code/accountNotFound`` if the server reveals that no account accepts codes at the
    ///   address, and ``LatchkeyError/Code/tooManyRequests``.
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeChallenge {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeChallenge in
            let address = try ContactAddress(input: address)
            let flow = try await engine.sendLoginCode(to: address, in: try await engine.begin(.login))
            return CodeChallenge(CodeStep(flow, engine: engine), address: address)
        }
    }

    /// Sends a code to an address, whether or not it belongs to an account; the account is created if there is
    /// none.
    ///
    /// The step that accepts the code is the same in both cases. The identity schema must allow sign-ups with a
    /// code. If the server logs existing users in with a sign-up code (Latchkey's setting
    /// `registration.existing` with the value `log_in`), one code is sufficient. Any other server sends another
    /// code after the first one was entered, and ``CodeChallenge/verify(_:)`` fails with
    /// ``LatchkeyError/Code/anotherCodeSent``; the same step accepts the second code. After
    /// ``LatchkeyError/Code/tooManyRequests``, the first code can be submitted again.
    ///
    /// - Parameters:
    ///   - address: A phone number with its country code, or an e-mail address.
    ///   - traits: The traits of a new account in addition to the address; ignored for an existing account.
    ///   - schema: The identity schema of a new account; `nil` for the server's default.
    /// - Returns: The step that accepts the code.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` for a text that is not an address,
    ///   or if the schema has no field for this kind of address.
    @concurrent public func sendCode(
        to address: String,
        orSignUpWith traits: Traits,
        schema: String? = nil
    ) async throws(LatchkeyError) -> CodeChallenge {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeChallenge in
            let address = try ContactAddress(input: address)
            let flow = try await engine.begin(.registration, schema: schema)
            try flow.require(method: "code")
            let values = try traits.adding(address, in: flow)
            let answers: [String: JSONValue] = ["traits": .object(values.values)]
            let sent = try await engine.submit(FlowAnswers(method: "code", answers), to: flow).codeSent()
            return CodeChallenge(
                CodeStep(sent, engine: engine, repeating: answers),
                address: address,
                logsExistingUsersIn: true
            )
        }
    }

    /// Recreates the step after a code was sent.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow (``CodeChallenge/flow``).
    ///   - kind: The kind of the flow (``CodeChallenge/kind``).
    /// - Returns: The step.
    public func codeSent(flow: String, kind: Flow.Kind = .login) -> CodeChallenge {
        CodeChallenge(CodeStep(kind, id: flow, engine: engine), address: nil)
    }
}

extension FlowEngine {
    /// Sends a login code to an address.
    ///
    /// - Returns: The form that waits for the code.
    func sendLoginCode(to address: ContactAddress, in flow: Flow) async throws(LatchkeyError) -> Flow {
        try flow.require(method: "code")
        let answers = FlowAnswers(method: "code", ["identifier": .string(address.value)])
        return try await submit(answers, to: flow).codeSent()
    }
}

extension ContactAddress {
    /// Parses the user's input, and throws an error to show next to the input field.
    init(input: String, field: String = "identifier") throws(LatchkeyError) {
        guard let address = ContactAddress(input) else {
            throw .invalid(
                field,
                message:
                    "The address must be an e-mail address, or a phone number with + and the country code."
            )
        }
        self = address
    }
}

extension Traits {
    /// Returns the traits with an address in the field of a registration that accepts this kind of address.
    fileprivate func adding(_ address: ContactAddress, in flow: Flow) throws(LatchkeyError) -> Traits {
        let prefix = "traits."
        let kind: FlowInput.Kind = address.via == .sms ? .phone : .email
        let name = flow.nodes.lazy.compactMap(\.input)
            .first { $0.kind == kind && $0.name.hasPrefix(prefix) }?.name.dropFirst(prefix.count)
        guard let name, !name.contains(".") else {
            throw .invalid(
                "identifier",
                message: "The identity schema has no field for this kind of address."
            )
        }
        var traits = self
        traits[String(name)] = .string(address.value)
        return traits
    }
}
