import LatchkeyModel
import LatchkeyWire

/// Begins and fetches flows, submits answers, and stores the resulting sessions.
package struct FlowEngine: Sendable {
    let api: IdentityAPI
    let keeper: SessionKeeper
    private let completion: LoginCompletion
    private let enrolment: Enrolment
    private let signer: DeviceSigner
    /// The schema that accounts must have to be allowed to log in, or `nil` to allow all of them.
    private var schema: String?

    init(
        api: IdentityAPI,
        keeper: SessionKeeper,
        completion: LoginCompletion,
        enrolment: Enrolment,
        signer: DeviceSigner
    ) {
        self.api = api
        self.keeper = keeper
        self.completion = completion
        self.enrolment = enrolment
        self.signer = signer
    }

    /// Returns a copy that only accepts accounts with the given schema, or all accounts if it is `nil`.
    package func onlyAs(_ schema: String?) -> FlowEngine {
        var engine = self
        engine.schema = schema
        return engine
    }

    // MARK: Flows

    /// Begins a flow.
    ///
    /// Settings flows and logins that authenticate the user again require a session. Other logins,
    /// registrations and recoveries don't use the current session, because they replace it with a new one.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema for a registration, or `nil` for the server's default.
    ///   - reauthenticating: For logins, whether to ask the user of the current session to authenticate
    ///     again.
    /// - Returns: The new flow.
    /// - Throws: ``LatchkeyError`` if the flow could not be started.
    package func begin(
        _ kind: Flow.Kind,
        schema: String? = nil,
        reauthenticating: Bool = false
    ) async throws(LatchkeyError) -> Flow {
        guard kind == .settings || kind == .login && reauthenticating else {
            return try await api.beginFlow(kind, schema: schema)
        }
        return try await withSession { held throws(LatchkeyError) in
            let flow = try await api.beginFlow(kind, refresh: reauthenticating, token: try held.token)
            guard flow.isReauthentication || !reauthenticating else {
                // If the session no longer exists, the server begins an ordinary login.
                _ = try await api.whoami(try held.token)
                throw LatchkeyError(
                    .invalidResponse,
                    message: "The server did not start a re-authentication."
                )
            }
            return flow
        }
    }

    /// Fetches a flow from the server.
    ///
    /// This is useful after the app has been restarted.
    package func flow(_ kind: Flow.Kind, id: String) async throws(LatchkeyError) -> Flow {
        guard kind == .settings else { return try await api.readFlow(kind, id: id, token: nil) }
        return try await withSession { held throws(LatchkeyError) in
            try await api.readFlow(kind, id: id, token: try held.token)
        }
    }

    /// Submits answers to a flow.
    ///
    /// If the server creates a session, it is stored before this method returns. If the server requires a
    /// device certificate, it is obtained first.
    ///
    /// - Parameters:
    ///   - answers: The user's answers.
    ///   - flow: The most recently received version of the flow.
    ///   - attempt: The login attempt, if it has already started. If this is `nil` and the submission may
    ///     create a session, a new attempt is started.
    /// - Returns: The outcome of the submission.
    /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed unless it has ended.
    package func submit(
        _ answers: FlowSubmission,
        to flow: Flow,
        attempt: LoginAttempt? = nil
    ) async throws(LatchkeyError) -> FlowOutcome {
        switch flow.kind {
        case .settings: return try await change(flow, with: answers)
        case .verification: return try await verify(flow, with: answers)
        case .login where flow.isReauthentication:
            return try await reauthenticate(flow, with: answers, attempt: attempt)
        case .login, .registration, .recovery:
            guard answers.mayOpenSession else {
                return try await outcome(
                    of: api.submit(answers, to: flow, token: nil, proof: nil)
                )
            }
            return try await logIn(flow, with: answers, attempt: attempt)
        }
    }

    // MARK: Submissions

    /// Submits answers as part of a login attempt, because the server may create a session in response.
    private func logIn(
        _ flow: Flow,
        with answers: FlowSubmission,
        attempt: LoginAttempt?
    ) async throws(LatchkeyError) -> FlowOutcome {
        let attempt = attempt ?? keeper.beginAttempt()
        return try await keeper.run(attempt) { () async throws(LatchkeyError) -> FlowOutcome in
            try await keeper.requireStorage()
            let key = PendingKey(try await signer.createKey(), signer: signer, clock: api.clock)
            let outcome: FlowOutcome
            do throws(LatchkeyError) {
                let proof = try await key.proof(forPostTo: api.submissionURL(of: flow.kind))
                let reply = try await api.submit(answers, to: flow, token: nil, proof: proof)
                outcome = try await store(reply, of: flow.kind, key: key, attempt: attempt)
            } catch {
                signer.removeKey(key.stored)
                throw error
            }
            if case .signedIn = outcome { return outcome }
            signer.removeKey(key.stored)
            return outcome
        }
    }

    /// Stores the session from a response, if there is one.
    private func store(
        _ reply: FlowReply,
        of kind: Flow.Kind,
        key: PendingKey,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> FlowOutcome {
        switch reply {
        case .flow, .other: return try outcome(of: reply)
        case .recovered(let token, let next):
            let session = try await recoveredSession(token, key: key)
            return .signedIn(
                try await complete(
                    Authentication(token: token, session: session),
                    key: key,
                    attempt: attempt
                ),
                next: next
            )
        case .authenticated(let authentication, let next):
            do throws(LatchkeyError) {
                return .signedIn(
                    try await complete(authentication, key: key, attempt: attempt),
                    next: next
                )
            } catch  where kind == .registration {
                throw keeper.reason(for: error, endOf: attempt).afterSignUp
            }
        }
    }

    private func complete(
        _ authentication: Authentication,
        key: PendingKey,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> UserSession {
        try await completion.complete(authentication, key: key, onlyAs: schema, attempt: attempt)
    }

    /// Fetches the session after a recovery, because the response only contains the token.
    ///
    /// If the server requires a certificate, we have to obtain it before we can fetch the session. The same
    /// certificate request is sent again when the login is completed, and returns the same certificate.
    private func recoveredSession(_ token: Secret, key: PendingKey) async throws(LatchkeyError) -> UserSession
    {
        do throws(LatchkeyError) {
            return try await api.whoami(token)
        } catch  where error.code == .certificateRequired {
            let unknown = Identity(id: "recovery", schema: "")
            let provisional = Authentication(token: token, session: UserSession(id: "", identity: unknown))
            _ = try await enrolment.enrol(key, for: provisional)
            return try await api.whoami(token)
        }
    }

    /// Submits answers to authenticate the user again, and stores the session's new token.
    private func reauthenticate(
        _ flow: Flow,
        with answers: FlowSubmission,
        attempt: LoginAttempt?
    ) async throws(LatchkeyError) -> FlowOutcome {
        let attempt = attempt ?? keeper.beginAttempt()
        return try await keeper.run(attempt) { () async throws(LatchkeyError) -> FlowOutcome in
            try await keeper.requireStorage()
            return try await withSession { held throws(LatchkeyError) in
                let reply = try await api.submit(answers, to: flow, token: try held.token, proof: nil)
                guard case .authenticated(let authentication, let next) = reply else {
                    return try outcome(of: reply)
                }
                try await renew(held, with: authentication, attempt: attempt)
                return .signedIn(authentication.session, next: next)
            }
        }
    }

    /// Stores the new token for the current session.
    ///
    /// If the credentials belong to another account, or if the session has ended in the meantime, the server
    /// creates a different session, which the client revokes because it isn't needed.
    private func renew(
        _ held: HeldSession,
        with authentication: Authentication,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) {
        let current = held.stored.session
        guard authentication.session.identity.id == current.identity.id else {
            await discard(authentication.token)
            throw LatchkeyError(
                .identityMismatch,
                message: "The credentials belong to a different account than the session."
            )
        }
        guard authentication.session.id == current.id || current.id.isEmpty else {
            await discard(authentication.token)
            throw .sessionEndedMeanwhile
        }
        var stored = held.stored
        stored.credential = .sessionToken(authentication.token, pair: stored.pair)
        stored.session = authentication.session
        // The expiry date in the response may be the one that applies to sessions without a certificate.
        if let expiry = current.expiresAt, let renewed = stored.session.expiresAt, renewed < expiry {
            stored.session.expiresAt = expiry
        }
        guard keeper.held?.handle.login == held.handle.login else { throw .replaced }
        guard !Task.isCancelled else { throw .cancelled }
        try await keeper.commit(stored, of: attempt)
    }

    /// Revokes a new session that the client won't use.
    ///
    /// Errors are ignored, because the session expires anyway.
    private func discard(_ token: Secret) async {
        do throws(LatchkeyError) {
            try await api.logOut(token)
        } catch {}
    }

    /// Submits answers to a settings flow, and updates the stored session if the changes were saved.
    private func change(_ flow: Flow, with answers: FlowSubmission) async throws(LatchkeyError) -> FlowOutcome
    {
        try await withSession { held throws(LatchkeyError) in
            let reply = try await api.submit(answers, to: flow, token: try held.token, proof: nil)
            if case .flow(let changed, _) = reply, let profile = changed.identity,
                profile.id == held.stored.session.identity.id
            {
                await keeper.amend(held) { $0.session.identity = profile }
            }
            return try outcome(of: reply)
        }
    }

    /// Submits answers to a verification flow.
    ///
    /// The current session is used if there is one.
    private func verify(_ flow: Flow, with answers: FlowSubmission) async throws(LatchkeyError) -> FlowOutcome
    {
        await keeper.ready()
        let token = keeper.held?.stored.sessionToken
        return try outcome(of: try await api.submit(answers, to: flow, token: token, proof: nil))
    }

    /// Returns the outcome of a submission that must not create a session.
    private func outcome(of reply: FlowReply) throws(LatchkeyError) -> FlowOutcome {
        switch reply {
        case .flow(let flow, let next):
            // If the account already exists, Kratos rejects a correct sign-up code, but still sets the state
            // to "passed".
            let isCompleted = (flow.state == .passed || flow.state == .saved) && !flow.hasErrors
            return isCompleted ? .completed(flow, next: next) : .continues(flow, next: next)
        case .other(let outcome): return outcome
        case .authenticated, .recovered:
            throw LatchkeyError(
                .invalidResponse,
                message: "The server created a session even though no credentials were submitted."
            )
        }
    }

    // MARK: The session

    /// Sends requests with the current session, and ends the session if the server says that it is no longer
    /// active.
    func withSession<Value>(
        _ request: (HeldSession) async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        await keeper.ready()
        guard let held = keeper.held else {
            if case .unavailable(.store(let error)) = keeper.state { throw LatchkeyError(store: error) }
            throw .notSignedIn
        }
        do throws(LatchkeyError) {
            return try await request(held)
        } catch {
            guard await endsSession(held, after: error) else { throw error }
            await keeper.end(held, because: "The identity server no longer accepts the session.")
            throw error.code == .sessionEnded ? error : .sessionEndedOnServer
        }
    }

    /// Returns whether a failed request means that the session has ended, and asks the server if this is
    /// unclear.
    ///
    /// Some routes of Ory Kratos respond with a 401 that doesn't indicate whether the session has ended.
    private func endsSession(_ held: HeldSession, after error: LatchkeyError) async -> Bool {
        if error.code == .sessionEnded { return true }
        guard error.code == .refused, (error.cause as? ServerRefusal)?.status == 401 else { return false }
        do throws(LatchkeyError) {
            _ = try await api.whoami(try held.token)
            return false
        } catch {
            return error.code == .sessionEnded
        }
    }
}

extension HeldSession {
    /// The session token that the self-service routes require.
    ///
    /// - Throws: ``LatchkeyError/Code/sessionRequired`` if the user logged in with an OAuth grant, because there is
    ///   no session token.
    var token: Secret {
        get throws(LatchkeyError) {
            guard let token = stored.sessionToken else {
                throw LatchkeyError(
                    .sessionRequired,
                    message:
                        "This needs a session of the identity server, but the user has logged in at another provider."
                )
            }
            return token
        }
    }
}

extension FlowSubmission {
    /// Whether the server may create a session when it receives these answers.
    ///
    /// The value is `false` if the answers only ask the server to send a code, or only contain traits.
    fileprivate var mayOpenSession: Bool {
        switch method {
        case "code": values["code"] != nil
        case "profile": false
        default: true
        }
    }
}

extension LatchkeyError {
    /// The server no longer accepts the session.
    fileprivate static let sessionEndedOnServer = LatchkeyError(
        .sessionEnded,
        message: "The session has expired or was revoked. Log in again."
    )

    /// The session ended while the user was authenticating again.
    fileprivate static let sessionEndedMeanwhile = LatchkeyError(
        .sessionEnded,
        message: "The session ended before the user re-authenticated. Log in again."
    )
}
