public import LatchkeyModel

/// The last step of a sign-up, in which the user enters a password and their name.
extension SignUp {
    /// The phone number has been verified.
    ///
    /// Only this step can complete the sign-up.
    public struct PhoneVerified: Sendable {
        let flow: String

        /// The verified phone number, or `nil` if the step was restored without it.
        public let phone: PhoneNumber?

        let engine: FlowEngine

        /// The value from which ``SignUp/resumeVerified(_:)`` restores the step.
        public var token: StepToken {
            StepToken(flow: flow, kind: .registration, address: phone?.e164)
        }

        /// Creates the account and logs the user in.
        ///
        /// If the account was created but the login failed, the error is
        /// ``LatchkeyError/Code/accountCreated``, and its ``LatchkeyError/cause`` is the reason. In this
        /// case, no session is stored. The user can log in to complete the sign-up.
        ///
        /// - Parameters:
        ///   - password: The new password.
        ///   - name: The user's name.
        ///   - email: The user's e-mail address, if the app asked for one.
        ///   - phone: The verified number. This is required if the step was restored without a number.
        ///   - persistence: Where to store the session.
        /// - Returns: The user's new session.
        /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed.
        @discardableResult
        @concurrent public func finish(
            password: String,
            name: PersonName,
            email: String? = nil,
            phone: String? = nil,
            persistence: Persistence = .device
        ) async throws(LatchkeyError) -> UserSession {
            try await finish(
                password: password,
                name: name,
                email: email,
                phone: phone,
                attempt: engine.keeper.beginAttempt(persistence: persistence)
            )
        }

        /// Creates the account and logs the user in, as part of a login attempt that has already started.
        ///
        /// - Parameters:
        ///   - password: The new password.
        ///   - name: The user's name.
        ///   - email: The user's e-mail address, if the app asked for one.
        ///   - phone: The verified number, or `nil` to use the number that this step contains.
        ///   - attempt: The login attempt, which may already have been ended by a sign-out or a newer
        ///     attempt.
        /// - Returns: The user's new session.
        /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed.
        @concurrent package func finish(
            password: String,
            name: PersonName,
            email: String?,
            phone: String?,
            attempt: LoginAttempt
        ) async throws(LatchkeyError) -> UserSession {
            try await engine.settled { engine async throws(LatchkeyError) -> UserSession in
                var traits = Traits()
                traits.phone = try number(phone)
                traits.email = try address(email)
                traits.name = name
                return try await engine.register(
                    traits,
                    password: password,
                    in: Flow(id: flow, kind: .registration),
                    attempt: attempt
                ).session
            }
        }

        private func number(_ phone: String?) throws(LatchkeyError) -> PhoneNumber {
            if let phone { return try PhoneNumber(input: phone) }
            if let known = self.phone { return known }
            throw .invalid("traits.phone", message: "The phone number of this sign-up step is missing.")
        }

        private func address(_ email: String?) throws(LatchkeyError) -> EmailAddress? {
            guard let email else { return nil }
            guard let address = EmailAddress(email) else {
                throw .invalid("traits.email", message: "The e-mail address is not valid.")
            }
            return address
        }
    }
}

extension LatchkeyError {
    /// The error to report if the account had already been created when this error occurred.
    var afterSignUp: LatchkeyError {
        let hint =
            code == .schemaMismatch
            ? "The account was created, but cannot log in here."
            : "The account was created. Log in to finish the sign-up."
        return LatchkeyError(.accountCreated, message: "\(hint) \(message)", retry: retry, cause: self)
    }
}
