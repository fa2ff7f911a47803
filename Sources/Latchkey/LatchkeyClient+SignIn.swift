public import LatchkeyCore
import LatchkeyModel

extension LatchkeyClient {
    /// Logs in with a phone number; the session takes the place of one that was there.
    ///
    /// - Parameters:
    ///   - phone: The number with its country code; spaces, dashes and brackets do not matter.
    ///   - password: The password.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; a session that was there before is still there then. Its code is
    ///   `superseded` when a newer login or sign-up was started meanwhile.
    @discardableResult
    @concurrent public func signIn(
        phone: String,
        password: String
    ) async throws(LatchkeyError) -> Session {
        guard let number = PhoneNumber(phone) else {
            throw refusal("A phone number starts with + and the country code and has 7 to 15 digits.")
        }
        return try await signIn(identifier: number.e164, password: password)
    }

    /// Logs in with an e-mail address; the session takes the place of one that was there.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - password: The password.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; a session that was there before is still there then. Its code is
    ///   `superseded` when a newer login or sign-up was started meanwhile.
    @discardableResult
    @concurrent public func signIn(
        email: String,
        password: String
    ) async throws(LatchkeyError) -> Session {
        guard let address = EmailAddress(email) else { throw refusal("The text is no e-mail address.") }
        return try await signIn(identifier: address.address, password: password)
    }

    /// Logs in with whatever the server knows people by; the session takes the place of one that was there.
    ///
    /// - Parameters:
    ///   - identifier: A phone number, an e-mail address or a name.
    ///   - password: The password.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; a session that was there before is still there then. Its code is
    ///   `superseded` when a newer login or sign-up was started meanwhile.
    @discardableResult
    @concurrent public func signIn(
        identifier: String,
        password: String
    ) async throws(LatchkeyError) -> Session {
        try await signIn(identifier: identifier, password: password, onlyAs: nil).session
    }

    /// Logs in and lets in accounts of one schema only; nothing more is sent for one of another.
    @concurrent package func signIn(
        identifier: String,
        password: String,
        onlyAs schema: String?,
        attempt: LoginAttempt? = nil
    ) async throws(LatchkeyError) -> SignIn.Outcome {
        do throws(LatchkeyError) {
            guard !identifier.isEmpty else { throw refusal("The identifier is missing.") }
            guard !password.isEmpty else { throw refusal("The password is missing.", field: "password") }
            return try await engine.signIn(
                identifier,
                password: Secret(password),
                onlyAs: schema,
                attempt: attempt
            )
        } catch {
            throw engine.keeper.settled(error)
        }
    }

    private func refusal(_ message: String, field: String = "identifier") -> LatchkeyError {
        engine.keeper.settled(.invalid(field, message))
    }
}

extension LatchkeyClient {
    /// A sign-up that lets in accounts of one schema only.
    package func signUp(onlyAs schema: String?) -> SignUp {
        schema.map { SignUp(engine: engine.signUp.onlyAs($0)) } ?? signUp
    }
}
