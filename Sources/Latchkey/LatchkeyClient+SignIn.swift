public import LatchkeyCore
import LatchkeyModel

extension LatchkeyClient {
    /// Signs in with a phone number and a password.
    ///
    /// The new session replaces any existing session.
    ///
    /// - Parameters:
    ///   - phone: The phone number, starting with `+` and the country code. Separators are ignored, and
    ///     the digits can be those of any script.
    ///   - password: The password, which must not be empty.
    ///   - persistence: Where the session is stored.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, in which case an existing session isn't affected. The code
    ///   is `invalidInput` if the number is malformed or the password is empty, or `superseded` if a newer
    ///   login, or the last step of a sign-up, was started before this login was completed.
    @discardableResult
    @concurrent public func signIn(
        phone: String,
        password: String,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        guard let number = PhoneNumber(phone) else {
            throw refusal(PhoneNumber.requirement)
        }
        return try await signIn(identifier: number.e164, password: password, persistence: persistence)
    }

    /// Signs in with an e-mail address and a password.
    ///
    /// The new session replaces any existing session.
    ///
    /// - Parameters:
    ///   - email: The e-mail address of the account.
    ///   - password: The password, which must not be empty.
    ///   - persistence: Where the session is stored.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, in which case an existing session isn't affected. The code
    ///   is `invalidInput` if the address is malformed or the password is empty, or `superseded` if a newer
    ///   login, or the last step of a sign-up, was started before this login was completed.
    @discardableResult
    @concurrent public func signIn(
        email: String,
        password: String,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        guard let address = EmailAddress(email) else { throw refusal("The e-mail address is not valid.") }
        return try await signIn(identifier: address.address, password: password, persistence: persistence)
    }

    /// Signs in with any identifier that the server accepts.
    ///
    /// The new session replaces any existing session.
    ///
    /// - Parameters:
    ///   - identifier: A phone number, an e-mail address or a user name. The text is sent to the server as
    ///     is.
    ///   - password: The password, which must not be empty.
    ///   - persistence: Where the session is stored.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, in which case an existing session isn't affected. The code
    ///   is `invalidInput` if the identifier or the password is empty, or `superseded` if a newer login, or
    ///   the last step of a sign-up, was started before this login was completed.
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

    /// Signs in, but only if the account has the given identity schema.
    ///
    /// If the account has a different schema, the login ends without sending any further requests.
    ///
    /// - Parameters:
    ///   - identifier: A phone number, an e-mail address or a user name. The text must not be empty.
    ///   - password: The password, which must not be empty.
    ///   - schema: The id of the required identity schema, or `nil` to accept all schemas.
    ///   - attempt: The login attempt to continue, or `nil` to start a new one.
    ///   - persistence: Where to store the session. This is ignored if an existing attempt is continued.
    /// - Returns: The new session and the id of the login flow that created it.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, in which case an existing session isn't affected. The code
    ///   is `schemaMismatch` if the account has a different schema. If the response doesn't contain a
    ///   schema, it is accepted.
    @concurrent package func signIn(
        identifier: String,
        password: String,
        onlyAs schema: String?,
        attempt: LoginAttempt? = nil,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> (session: UserSession, flow: String) {
        do throws(LatchkeyError) {
            guard !identifier.isEmpty else { throw refusal("The identifier must not be empty.") }
            guard !password.isEmpty else {
                throw refusal("The password must not be empty.", field: "password")
            }
            return try await engine.flows.onlyAs(schema).signIn(
                identifier,
                password: Secret(password),
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
    /// Returns a sign-up that only accepts accounts with the given identity schema, or accounts with any
    /// schema if `schema` is `nil`.
    package func signUp(onlyAs schema: String?) -> SignUp {
        SignUp(engine: engine.flows.onlyAs(schema))
    }
}
