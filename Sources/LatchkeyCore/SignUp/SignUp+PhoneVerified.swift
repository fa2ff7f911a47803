public import LatchkeyModel

extension SignUp {
    /// A sign-up whose phone number is verified; only this step can finish it.
    public struct PhoneVerified: Sendable {
        /// The id of the flow, by which the step can be rebuilt.
        public let flow: String

        /// The verified number; nothing in a step that was rebuilt without it.
        public let phone: PhoneNumber?

        let engine: SignUpEngine

        /// Creates the account and logs in.
        ///
        /// If the account was created and the login was not finished, whatever the reason, the error is
        /// ``LatchkeyError/Code/accountCreated`` with the reason as its cause. Nothing of the login is left then; logging
        /// in finishes it.
        ///
        /// - Parameters:
        ///   - password: The password the person chose.
        ///   - name: The person's name.
        ///   - email: The person's address, if the app asked for one.
        ///   - phone: The verified number, in a step that was rebuilt without it.
        /// - Returns: The session.
        /// - Throws: ``LatchkeyError``; a session that was there before is still there then.
        @discardableResult
        @concurrent public func finish(
            password: String,
            name: PersonName,
            email: String? = nil,
            phone: String? = nil
        ) async throws(LatchkeyError) -> Session {
            try await finish(
                password: password,
                name: name,
                email: email,
                phone: phone,
                attempt: engine.keeper.beginAttempt()
            )
        }

        /// Makes the account and logs in, in an attempt that began before the call.
        @concurrent package func finish(
            password: String,
            name: PersonName,
            email: String?,
            phone: String?,
            attempt: LoginAttempt
        ) async throws(LatchkeyError) -> Session {
            try await engine.settled { engine async throws(LatchkeyError) -> Session in
                let profile = try profile(password: Secret(password), name: name, email: email, phone: phone)
                return try await engine.finish(profile, flow: flow, attempt)
            }
        }

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
                throw .invalid("traits.phone", "The step does not know its phone number.")
            }
            var address: EmailAddress?
            if let email {
                guard let read = EmailAddress(email) else {
                    throw .invalid("traits.email", "The text is no e-mail address.")
                }
                address = read
            }
            return SignUpProfile(phone: number, password: password, name: name, email: address)
        }
    }
}

extension SignUpEngine {
    fileprivate func finish(
        _ profile: SignUpProfile,
        flow: String,
        _ attempt: LoginAttempt
    ) async throws(LatchkeyError) -> Session {
        try await keeper.run(attempt) { () async throws(LatchkeyError) -> Session in
            try await keeper.requireStorage()
            return try await admission.withNewKey { key throws(LatchkeyError) in
                let authentication = try await api.register(
                    profile,
                    flow: flow,
                    proof: try await key.proof(forPostTo: api.submissionURL(of: .registration))
                )
                do throws(LatchkeyError) {
                    return try await admission.admit(authentication, key: key, onlyAs: schema, attempt)
                } catch {
                    throw keeper.reason(for: error, endOf: attempt).afterSignUp
                }
            }
        }
    }
}

extension LatchkeyError {
    /// The error of a sign-up whose account was created all the same.
    fileprivate var afterSignUp: LatchkeyError {
        let hint =
            code == .accountOfAnotherKind
            ? "The account was made, but cannot log in here."
            : "The account was made; logging in will finish it."
        return LatchkeyError(.accountCreated, "\(hint) \(message)", retry: retry, cause: self)
    }
}
