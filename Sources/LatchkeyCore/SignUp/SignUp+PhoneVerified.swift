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

        let engine: SignUpEngine

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
                let profile = try profile(password: Secret(password), name: name, email: email, phone: phone)
                return try await engine.finish(profile, flow: flow, attempt: attempt)
            }
        }

        /// Validates the input before any requests are sent.
        private func profile(
            password: Secret,
            name: PersonName,
            email: String?,
            phone: String?
        ) throws(LatchkeyError) -> SignUpProfile {
            let number: PhoneNumber
            if let phone {
                number = try PhoneNumber(input: phone)
            } else if let known = self.phone {
                number = known
            } else {
                throw .invalid("traits.phone", message: "The phone number of this sign-up step is missing.")
            }
            var address: EmailAddress?
            if let email {
                guard let read = EmailAddress(email) else {
                    throw .invalid("traits.email", message: "The e-mail address is not valid.")
                }
                address = read
            }
            return SignUpProfile(phone: number, password: password, name: name, email: address)
        }
    }
}

extension SignUpEngine {
    /// Creates the account and stores its session.
    ///
    /// Errors that occur after the registration are converted to `accountCreated`.
    fileprivate func finish(
        _ profile: SignUpProfile,
        flow: String,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> UserSession {
        try await keeper.run(attempt) { () async throws(LatchkeyError) -> UserSession in
            try await keeper.requireStorage()
            return try await completion.withNewKey { key throws(LatchkeyError) in
                let authentication = try await api.register(
                    profile,
                    flow: flow,
                    proof: try await key.proof(forPostTo: api.submissionURL(of: .registration))
                )
                do throws(LatchkeyError) {
                    return try await completion.complete(
                        authentication,
                        key: key,
                        onlyAs: schema,
                        attempt: attempt
                    )
                } catch {
                    throw keeper.reason(for: error, endOf: attempt).afterSignUp
                }
            }
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
