public import LatchkeyModel

/// The last step of a sign-up, with the password and profile.
extension SignUp {
    /// A sign-up with a verified phone number; only this step can complete the sign-up.
    public struct PhoneVerified: Sendable {
        /// The id of the flow, with which the step can be recreated.
        public let flow: String

        /// The verified phone number; `nil` in a step that was recreated without it.
        public let phone: PhoneNumber?

        let engine: SignUpEngine

        /// Creates the account and logs in.
        ///
        /// If the account was created but the login failed for any reason, the error is
        /// ``LatchkeyError/Code/accountCreated`` with the reason as its cause. In this case, no part of the
        /// login is stored; the user can log in to complete it.
        ///
        /// - Parameters:
        ///   - password: The new password.
        ///   - name: The user's name.
        ///   - email: The user's e-mail address, if the app asked for one.
        ///   - phone: The verified number; required in a step that was recreated without it.
        ///   - persistence: Where the session is stored.
        /// - Returns: The session.
        /// - Throws: ``LatchkeyError``; in this case, an existing session is unchanged.
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

        /// Creates the account and logs in, as part of an attempt that began before the call.
        ///
        /// - Parameters:
        ///   - password: The new password.
        ///   - name: The user's name.
        ///   - email: The user's e-mail address, or `nil`.
        ///   - phone: The verified number; `nil` uses the step's own number.
        ///   - attempt: The login attempt, which a sign-out or a newer attempt may have ended already.
        /// - Returns: The session.
        /// - Throws: ``LatchkeyError``; in this case, an existing session is unchanged.
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

        /// Validates the input before any request is sent.
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
    /// Creates the account and stores its session; errors after registration become `accountCreated`.
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
    /// The error to report when the account was created before this error occurred.
    var afterSignUp: LatchkeyError {
        let hint =
            code == .accountOfAnotherKind
            ? "The account was created, but cannot log in here."
            : "The account was created. Log in to finish the sign-up."
        return LatchkeyError(.accountCreated, message: "\(hint) \(message)", retry: retry, cause: self)
    }
}
