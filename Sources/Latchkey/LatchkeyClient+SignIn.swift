public import LatchkeyCore
import LatchkeyModel

extension LatchkeyClient {
    /// Signs in with a phone number and a password; the new session replaces an existing one.
    ///
    /// - Parameters:
    ///   - phone: The phone number with `+` and the country code; spaces, dashes and parentheses are ignored.
    ///   - password: The password; it must not be empty.
    ///   - persistence: Where the session is stored.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; an existing session is unaffected. The code is
    ///   `invalidInput` for a malformed number or an empty password, and `superseded` when a newer login, or
    ///   the last step of a sign-up, was started in the meantime.
    @discardableResult
    @concurrent public func signIn(
        phone: String,
        password: String,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        guard let number = PhoneNumber(phone) else {
            throw refusal("The phone number must start with + and the country code and have 7 to 15 digits.")
        }
        return try await signIn(identifier: number.e164, password: password, persistence: persistence)
    }

    /// Signs in with an e-mail address and a password; the new session replaces an existing one.
    ///
    /// - Parameters:
    ///   - email: The e-mail address of the account.
    ///   - password: The password; it must not be empty.
    ///   - persistence: Where the session is stored.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; an existing session is unaffected. The code is
    ///   `invalidInput` for a malformed address or an empty password, and `superseded` when a newer login, or
    ///   the last step of a sign-up, was started in the meantime.
    @discardableResult
    @concurrent public func signIn(
        email: String,
        password: String,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        guard let address = EmailAddress(email) else { throw refusal("The e-mail address is not valid.") }
        return try await signIn(identifier: address.address, password: password, persistence: persistence)
    }

    /// Signs in with any identifier that the server accepts; the new session replaces an existing one.
    ///
    /// - Parameters:
    ///   - identifier: A phone number, an e-mail address or a user name; sent to the server unchanged.
    ///   - password: The password; it must not be empty.
    ///   - persistence: Where the session is stored.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; an existing session is unaffected. The code is
    ///   `invalidInput` for an empty identifier or password, and `superseded` when a newer login, or the last
    ///   step of a sign-up, was started in the meantime.
    @discardableResult
    @concurrent public func signIn(
        identifier: String,
        password: String,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        try await signIn(
            identifier: identifier,
            password: password,
            onlyAs: nil,
            persistence: persistence
        ).session
    }

    /// Signs in, accepting only accounts with the given identity schema.
    ///
    /// If the account has another schema, no further request is sent for the login.
    ///
    /// - Parameters:
    ///   - identifier: A phone number, an e-mail address or a user name; it must not be empty.
    ///   - password: The password; it must not be empty.
    ///   - schema: The id of the identity schema to accept; `nil` accepts all.
    ///   - attempt: The login attempt that this call continues; `nil` begins a new one.
    ///   - persistence: Where the session of a new attempt is stored.
    /// - Returns: The new session and the id of the login flow that created it.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; an existing session is unaffected. The code is
    ///   `accountOfAnotherKind` for an account with another schema; a response that does not name a schema is
    ///   accepted.
    @concurrent package func signIn(
        identifier: String,
        password: String,
        onlyAs schema: String?,
        attempt: LoginAttempt? = nil,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> SignIn.Outcome {
        do throws(LatchkeyError) {
            guard !identifier.isEmpty else { throw refusal("The identifier must not be empty.") }
            guard !password.isEmpty else {
                throw refusal("The password must not be empty.", field: "password")
            }
            return try await engine.signIn(
                identifier,
                password: Secret(password),
                onlyAs: schema,
                attempt: attempt,
                persistence: persistence
            )
        } catch {
            throw engine.keeper.settled(error)
        }
    }

    private func refusal(_ message: String, field: String = "identifier") -> LatchkeyError {
        engine.keeper.settled(.invalid(field, message: message))
    }
}

extension LatchkeyClient {
    /// Returns a sign-up that accepts only accounts with the given identity schema; `nil` accepts all.
    package func signUp(onlyAs schema: String?) -> SignUp {
        schema.map { SignUp(engine: engine.signUp.onlyAs($0)) } ?? signUp
    }
}
