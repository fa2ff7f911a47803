package import LatchkeyModel

/// Logs in with an identifier and a password.
package struct SignIn: Sendable {
    /// What a login brings.
    package struct Outcome: Sendable {
        package let session: Session
        package let flow: String
    }

    private let api: IdentityAPI
    private let keeper: SessionKeeper
    private let admission: Admission

    init(api: IdentityAPI, keeper: SessionKeeper, admission: Admission) {
        self.api = api
        self.keeper = keeper
        self.admission = admission
    }

    /// Logs in; the session takes the place of one that was there.
    ///
    /// - Parameters:
    ///   - identifier: A phone number or an e-mail address.
    ///   - password: The password.
    ///   - schema: The only schema whose accounts are let in; nothing for all.
    ///   - attempt: The attempt, when it began before the call.
    /// - Returns: The session and the flow it came from.
    /// - Throws: ``LatchkeyError``; what was there before is still there then.
    package func callAsFunction(
        _ identifier: String,
        password: Secret,
        onlyAs schema: String? = nil,
        attempt: LoginAttempt? = nil
    ) async throws(LatchkeyError) -> Outcome {
        let attempt = attempt ?? keeper.beginAttempt()
        return try await keeper.run(attempt) { [api, keeper, admission] () async throws(LatchkeyError) in
            try await keeper.requireStorage()
            let flow = try await api.begin(.login)
            let session = try await admission.withNewKey { key throws(LatchkeyError) in
                let authentication = try await api.logIn(
                    identifier,
                    password: password,
                    flow: flow,
                    proof: try await key.proof(forPostTo: api.submissionURL(of: .login))
                )
                return try await admission.admit(authentication, key: key, onlyAs: schema, attempt)
            }
            return Outcome(session: session, flow: flow)
        }
    }
}
