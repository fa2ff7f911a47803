package import LatchkeyModel

/// Logs users in with an identifier and a password.
package struct SignIn: Sendable {
    /// The result of a successful login.
    package struct Outcome: Sendable {
        /// The new session.
        package let session: UserSession
        /// The id of the login flow.
        package let flow: String
    }

    private let api: IdentityAPI
    private let keeper: SessionKeeper
    private let completion: LoginCompletion

    init(api: IdentityAPI, keeper: SessionKeeper, completion: LoginCompletion) {
        self.api = api
        self.keeper = keeper
        self.completion = completion
    }

    /// Logs in and replaces the current session, if there is one.
    ///
    /// - Parameters:
    ///   - identifier: A phone number or an e-mail address.
    ///   - password: The password.
    ///   - schema: The schema that the account must have, or `nil` to accept all accounts.
    ///   - attempt: The login attempt, if it has already started. If this is `nil`, a new attempt is started.
    ///   - persistence: For a new attempt, where to store the session.
    /// - Returns: The session and the id of the login flow.
    /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed.
    package func callAsFunction(
        _ identifier: String,
        password: Secret,
        onlyAs schema: String? = nil,
        attempt: LoginAttempt? = nil,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> Outcome {
        let attempt = attempt ?? keeper.beginAttempt(persistence: persistence)
        return try await keeper.run(attempt) { [api, keeper, completion] () async throws(LatchkeyError) in
            try await keeper.requireStorage()
            let flow = try await api.begin(.login)
            let session = try await completion.withNewKey { key throws(LatchkeyError) in
                let authentication = try await api.logIn(
                    identifier,
                    password: password,
                    flow: flow,
                    proof: try await key.proof(forPostTo: api.submissionURL(of: .login))
                )
                return try await completion.complete(
                    authentication,
                    key: key,
                    onlyAs: schema,
                    attempt: attempt
                )
            }
            return Outcome(session: session, flow: flow)
        }
    }
}
