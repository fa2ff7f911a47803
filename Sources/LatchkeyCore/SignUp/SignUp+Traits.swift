import LatchkeyWire

/// Sign-ups in one or two steps, with any traits of any identity schema.
extension SignUp {
    /// An account that was created, with the session of its user.
    public struct Registered: Sendable {
        /// The session.
        public let session: UserSession

        /// The addresses to which the server has sent a code, so that the user can verify them.
        public let verifications: [AddressVerification.CodeSent]
    }

    /// Creates an account with a password, and logs in.
    ///
    /// A schema that requires a verified phone number, such as `customer`, needs ``begin(phone:)`` instead.
    ///
    /// - Parameters:
    ///   - traits: The traits of the account, such as an e-mail address or a phone number.
    ///   - password: The new password.
    ///   - schema: The identity schema; `nil` for the server's default.
    /// - Returns: The session, and the addresses that can be verified.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/accountExists`` or
    ///   ``LatchkeyError/Code/invalidInput`` with the messages for the fields. The error is
    ///   ``LatchkeyError/Code/accountCreated`` if the account was created but the login failed; an existing
    ///   session is unchanged.
    @discardableResult
    @concurrent public func register(
        _ traits: Traits,
        password: String,
        schema: String? = nil
    ) async throws(LatchkeyError) -> Registered {
        try await engine.settled { engine async throws(LatchkeyError) -> Registered in
            let attempt = engine.keeper.beginAttempt()
            let flow = try await engine.flows.begin(.registration, schema: schema)
            try flow.require(method: "password")
            return try await engine.register(traits, password: password, in: flow, attempt: attempt)
        }
    }

    /// Starts a sign-up without a password: sends a code to the first address in the traits that accepts codes.
    ///
    /// - Parameters:
    ///   - traits: The traits of the account.
    ///   - schema: The identity schema; `nil` for the server's default.
    /// - Returns: The step that accepts the code, creates the account and logs in.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` with the messages for the fields.
    @concurrent public func sendCode(
        for traits: Traits,
        schema: String? = nil
    ) async throws(LatchkeyError) -> CodeChallenge {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeChallenge in
            let flow = try await engine.flows.begin(.registration, schema: schema)
            try flow.require(method: "code")
            let answers: [String: JSONValue] = ["traits": .object(traits.values)]
            let sent = try await engine.flows.submit(FlowAnswers(method: "code", answers), to: flow)
                .codeSent()
            return CodeChallenge(
                CodeStep(sent, engine: engine.flows, repeating: answers),
                address: nil
            )
        }
    }

    /// Recreates the step after ``sendCode(for:schema:)``.
    ///
    /// - Parameter flow: The id of the flow (``CodeChallenge/flow``).
    /// - Returns: The step.
    public func codeChallenge(flow: String) -> CodeChallenge {
        CodeChallenge(CodeStep(.registration, id: flow, engine: engine.flows), address: nil)
    }
}

extension SignUp.PhoneVerified {
    /// Creates the account with any traits of its identity schema, and logs in.
    ///
    /// - Parameters:
    ///   - password: The new password.
    ///   - traits: The traits; the verified phone number is added if they contain none.
    /// - Returns: The session, and the addresses that can be verified.
    /// - Throws: ``LatchkeyError``; see ``SignUp/register(_:password:schema:)``.
    @discardableResult
    @concurrent public func finish(
        password: String,
        traits: Traits
    ) async throws(LatchkeyError) -> SignUp.Registered {
        try await engine.settled { engine async throws(LatchkeyError) -> SignUp.Registered in
            var traits = traits
            if traits["phone"] == nil { traits.phone = phone }
            return try await engine.register(
                traits,
                password: password,
                in: Flow(id: flow, kind: .registration),
                attempt: engine.keeper.beginAttempt()
            )
        }
    }
}

extension SignUpEngine {
    /// Submits a registration with a password.
    fileprivate func register(
        _ traits: Traits,
        password: String,
        in flow: Flow,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> SignUp.Registered {
        guard !password.isEmpty else {
            throw .invalid("password", message: "The password must not be empty.")
        }
        let answers = FlowAnswers(
            method: "password",
            ["traits": .object(traits.values), "password": .string(password)]
        )
        let outcome = try await flows.submit(answers, to: flow, attempt: attempt)
        guard case .signedIn(let session, let next) = outcome else { throw outcome.error() }
        return SignUp.Registered(session: session, verifications: flows.verifications(in: next))
    }
}
