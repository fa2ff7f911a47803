import LatchkeyModel
import LatchkeyWire

/// Logs users in with a code that is sent to their phone number or e-mail address.
///
/// ```swift
/// let sent = try await latchkey.codeSignIn.sendCode(to: "user@example.org")
/// let session = try await sent.verify("271501")
/// ```
public struct CodeSignIn: Sendable {
    let engine: FlowEngine

    /// Creates the entry point for logging in with a code.
    ///
    /// This initializer does not send any requests.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Sends a code to the address of an existing account.
    ///
    /// Some servers respond in the same way for unknown addresses, but don't send a code.
    ///
    /// - Parameter address: A phone number with its country code, or an e-mail address.
    /// - Returns: The next step, in which the user enters the code.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if the text isn't a valid
    ///   address, ``LatchkeyError/Code/accountNotFound`` if the server reveals that no account can log in
    ///   with this address, or ``LatchkeyError/Code/tooManyRequests`` if too many codes were requested.
    @concurrent public func sendCode(to address: String) async throws(LatchkeyError) -> CodeStep<UserSession>
    {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeStep<UserSession> in
            let address = try ContactAddress(input: address)
            let flow = try await engine.sendLoginCode(to: address, in: try await engine.begin(.login))
            return CodeFlow(flow, engine: engine, address: address).sessionStep()
        }
    }

    /// Sends a code to an address, whether or not it belongs to an account.
    ///
    /// If no account has this address, one is created.
    ///
    /// The next step is the same for new and existing accounts. The identity schema must allow sign-ups with
    /// a code.
    ///
    /// On some servers, existing users can log in with a sign-up code. Latchkey servers allow this if
    /// `registration.existing` is `log_in`. With other servers, ``CodeStep/verify(_:)`` fails with
    /// ``LatchkeyError/Code/anotherCodeSent`` for existing users, because the server sends a second code for
    /// logging in. Submit the second code in the same step. If the second code can't be sent because of
    /// ``LatchkeyError/Code/tooManyRequests``, the first code can be submitted again.
    ///
    /// - Parameters:
    ///   - address: A phone number with its country code, or an e-mail address.
    ///   - traits: The traits for a new account, in addition to the address. For existing accounts, the
    ///     traits are ignored.
    ///   - schema: The identity schema for a new account, or `nil` for the server's default.
    /// - Returns: The next step, in which the user enters the code.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if the text isn't a valid
    ///   address, or if the schema doesn't have a field for this kind of address.
    @concurrent public func sendCode(
        to address: String,
        orSignUpWith traits: Traits,
        schema: String? = nil
    ) async throws(LatchkeyError) -> CodeStep<UserSession> {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeStep<UserSession> in
            let address = try ContactAddress(input: address)
            let flow = try await engine.begin(.registration, schema: schema)
            try flow.require(method: "code")
            let values = try traits.adding(address, in: flow)
            let answers: [String: JSONValue] = ["traits": .object(values.values)]
            let sent = try await engine.submit(FlowSubmission(method: "code", answers), to: flow).codeSent()
            return CodeFlow(sent, engine: engine, address: address, repeating: answers)
                .sessionStep(loggingIn: address)
        }
    }

    /// Restores a step that ``sendCode(to:)``, ``sendCode(to:orSignUpWith:schema:)`` or
    /// ``SignUp/sendCode(for:schema:)`` has returned.
    ///
    /// - Parameter token: The step's token.
    /// - Returns: The step in which the user enters the code.
    public func resume(_ token: StepToken) -> CodeStep<UserSession> {
        CodeFlow(token, kinds: .login, .registration, engine: engine).sessionStep()
    }
}

extension FlowEngine {
    /// Sends a login code to an address.
    ///
    /// - Returns: The form in which the user enters the code.
    func sendLoginCode(to address: ContactAddress, in flow: Flow) async throws(LatchkeyError) -> Flow {
        try flow.require(method: "code")
        let answers = FlowSubmission(method: "code", ["identifier": .string(address.value)])
        return try await submit(answers, to: flow).codeSent()
    }
}

extension ContactAddress {
    /// Parses an address entered by the user.
    ///
    /// The error includes a message for the input field.
    init(input: String, field: String = "identifier") throws(LatchkeyError) {
        guard let address = ContactAddress(input) else {
            throw .invalid(
                field,
                message:
                    "Enter an e-mail address or a phone number that starts with + and the country code."
            )
        }
        self = address
    }
}

extension Traits {
    /// Returns a copy that also contains an address, in the registration form's field for this kind of
    /// address.
    fileprivate func adding(_ address: ContactAddress, in flow: Flow) throws(LatchkeyError) -> Traits {
        let prefix = "traits."
        let kind: FlowInput.Kind = address.via == .sms ? .phone : .email
        let name = flow.nodes.lazy.compactMap(\.input)
            .first { $0.kind == kind && $0.name.hasPrefix(prefix) }?.name.dropFirst(prefix.count)
        guard let name, !name.contains(".") else {
            throw .invalid(
                "identifier",
                message: "The identity schema does not have a field for this kind of address."
            )
        }
        var traits = self
        traits[String(name)] = .string(address.value)
        return traits
    }
}
