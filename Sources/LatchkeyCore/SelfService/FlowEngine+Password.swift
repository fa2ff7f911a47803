package import LatchkeyModel
import LatchkeyWire

/// Logins and registrations with a password.
extension FlowEngine {
    /// Logs in, and replaces the current session, if there is one.
    ///
    /// - Parameters:
    ///   - identifier: A phone number, an e-mail address or a user name.
    ///   - password: The password.
    ///   - attempt: The login attempt, if it has already started. If this is `nil`, a new attempt is started.
    ///   - persistence: For a new attempt, where to store the session.
    /// - Returns: The session and the id of the login flow.
    /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed.
    package func signIn(
        _ identifier: String,
        password: Secret,
        attempt: LoginAttempt? = nil,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> (session: UserSession, flow: String) {
        let attempt = attempt ?? keeper.beginAttempt(persistence: persistence)
        let flow = try await keeper.run(attempt) { [self] () async throws(LatchkeyError) -> Flow in
            try await keeper.requireStorage()
            return try await begin(.login)
        }
        let submission = FlowSubmission(
            method: "password",
            ["identifier": .string(identifier), "password": .string(password.exposed)]
        )
        return (try await submit(submission, to: flow, attempt: attempt).session(), flow.id)
    }

    /// Creates an account, and logs its user in.
    ///
    /// - Parameters:
    ///   - traits: The traits for the account.
    ///   - password: The new password.
    ///   - flow: The registration flow.
    ///   - attempt: The login attempt.
    ///   - askForCode: Asks the user for a code if another account claims one of the addresses without proof.
    /// - Returns: The session, and the addresses that the user can verify.
    /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed.
    func register(
        _ traits: Traits,
        password: String,
        in flow: Flow,
        attempt: LoginAttempt,
        askForCode: (@Sendable (_ message: String) async throws -> String)? = nil
    ) async throws(LatchkeyError) -> SignUp.Registered {
        guard !password.isEmpty else {
            throw .invalid("password", message: "The password must not be empty.")
        }
        var submission = FlowSubmission(
            method: "password",
            ["traits": .object(traits.values), "password": .string(password)]
        )
        var outcome = try await submit(submission, to: flow, attempt: attempt)
        while let askForCode, case .continues(let form, _) = outcome, let request = form.proofRequest,
            request.asksForCode
        {
            let code: String
            do {
                code = try await askForCode(request.text)
            } catch {
                throw LatchkeyError(.cancelled, message: "The sign-up was cancelled.", cause: error)
            }
            submission["code"] = .string(OneTimeCode(code)?.exposed ?? code)
            outcome = try await submit(submission, to: form, attempt: attempt)
        }
        guard case .signedIn(let session, let next) = outcome else { throw outcome.error() }
        return SignUp.Registered(session: session, verifications: verifications(in: next))
    }
}

extension FlowMessage {
    /// Whether a code can be entered, because it was just sent or the last one was wrong.
    fileprivate var asksForCode: Bool {
        severity == .info || MessageID(rawValue: id) == .wrongRegistrationCode
    }
}
