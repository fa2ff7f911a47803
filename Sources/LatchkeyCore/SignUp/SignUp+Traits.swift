import LatchkeyModel
import LatchkeyWire

/// Sign-ups with any identity schema and any traits.
extension SignUp {
    /// The result of a sign-up that created an account.
    public struct Registered: Sendable {
        /// The new user's session.
        public let session: UserSession

        /// The addresses that the server has sent a code to, so that the user can verify them.
        public let verifications: [CodeStep<Void>]
    }

    /// Creates an account with a password and logs the user in.
    ///
    /// If the schema requires a verified phone number, as `customer` does, use ``begin(phone:)`` instead.
    ///
    /// - Parameters:
    ///   - traits: The traits for the account, such as an e-mail address or a phone number.
    ///   - password: The new password.
    ///   - schema: The identity schema, or `nil` for the server's default.
    ///   - askForCode: Asks the user for a code if another account claims one of the addresses without proof.
    ///     The argument is the server's message, which says where the code was sent or that the last code was
    ///     wrong. An error thrown by the closure cancels the sign-up. By default, the sign-up fails.
    /// - Returns: The session, and the addresses that the user can verify.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/accountExists`` if there is already an
    ///   account or too many codes were wrong, ``LatchkeyError/Code/cancelled`` if `askForCode` has thrown an
    ///   error (which is the ``LatchkeyError/cause``), ``LatchkeyError/Code/invalidInput`` if a value is
    ///   invalid (the error contains messages for the fields), or ``LatchkeyError/Code/accountCreated`` if the account was created but the login failed. If
    ///   there is already a session, it isn't changed.
    @discardableResult
    @concurrent public func register(
        _ traits: Traits,
        password: String,
        schema: String? = nil,
        askForCode: (@Sendable (_ message: String) async throws -> String)? = nil
    ) async throws(LatchkeyError) -> Registered {
        try await engine.settled { engine async throws(LatchkeyError) -> Registered in
            let attempt = engine.keeper.beginAttempt()
            let flow = try await engine.begin(.registration, schema: schema)
            try flow.require(method: "password")
            return try await engine.register(
                traits,
                password: password,
                in: flow,
                attempt: attempt,
                askForCode: askForCode
            )
        }
    }

    /// Starts a sign-up without a password.
    ///
    /// A code is sent to the first address in the traits that can receive codes.
    ///
    /// - Parameters:
    ///   - traits: The traits for the account.
    ///   - schema: The identity schema, or `nil` for the server's default.
    /// - Returns: The next step, in which the user enters the code to create the account and log in.
    ///   ``CodeSignIn/resume(_:)`` restores it.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if a value is invalid. In
    ///   this case, the error contains messages for the fields.
    @concurrent public func sendCode(
        for traits: Traits,
        schema: String? = nil
    ) async throws(LatchkeyError) -> CodeStep<UserSession> {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeStep<UserSession> in
            let flow = try await engine.begin(.registration, schema: schema)
            try flow.require(method: "code")
            let answers: [String: JSONValue] = ["traits": .object(traits.values)]
            let sent = try await engine.submit(FlowSubmission(method: "code", answers), to: flow)
                .codeSent()
            return CodeFlow(sent, engine: engine, address: nil, repeating: answers).sessionStep()
        }
    }
}

extension SignUp.PhoneVerified {
    /// Creates the account with any traits that its identity schema defines, and logs the user in.
    ///
    /// - Parameters:
    ///   - password: The new password.
    ///   - traits: The traits for the account. The verified phone number is added if the traits don't contain
    ///     one.
    ///   - askForCode: Asks the user for a code if another account claims one of the other addresses, as in
    ///     ``SignUp/register(_:password:schema:askForCode:)``.
    /// - Returns: The session, and the addresses that the user can verify.
    /// - Throws: ``LatchkeyError``, as described for ``SignUp/register(_:password:schema:askForCode:)``.
    @discardableResult
    @concurrent public func finish(
        password: String,
        traits: Traits,
        askForCode: (@Sendable (_ message: String) async throws -> String)? = nil
    ) async throws(LatchkeyError) -> SignUp.Registered {
        try await engine.settled { engine async throws(LatchkeyError) -> SignUp.Registered in
            var traits = traits
            if traits["phone"] == nil { traits.phone = phone }
            return try await engine.register(
                traits,
                password: password,
                in: Flow(id: flow, kind: .registration),
                attempt: engine.keeper.beginAttempt(),
                askForCode: askForCode
            )
        }
    }
}
