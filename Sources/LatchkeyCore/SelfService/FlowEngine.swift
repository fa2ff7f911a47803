import LatchkeyModel
import LatchkeyWire

/// The engine of all flows: it begins and reads them, submits answers, and stores the sessions that they open.
package struct FlowEngine: Sendable {
    let api: IdentityAPI
    let keeper: SessionKeeper
    private let completion: LoginCompletion
    private let enrolment: Enrolment
    private let signer: DeviceSigner
    private let time: any TimeSource
    /// The only schema whose accounts are allowed to log in, or `nil` for all.
    private var schema: String?

    init(
        api: IdentityAPI,
        keeper: SessionKeeper,
        completion: LoginCompletion,
        enrolment: Enrolment,
        signer: DeviceSigner,
        time: any TimeSource
    ) {
        self.api = api
        self.keeper = keeper
        self.completion = completion
        self.enrolment = enrolment
        self.signer = signer
        self.time = time
    }

    /// Returns a copy that accepts only accounts with the given schema.
    package func onlyAs(_ schema: String) -> FlowEngine {
        var engine = self
        engine.schema = schema
        return engine
    }

    // MARK: Flows

    /// Begins a flow.
    ///
    /// A settings flow requires a session, and so does a login that re-authenticates the user. Other logins,
    /// registrations and recoveries are begun without the current session, which a new one replaces.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema of a registration; `nil` for the server's default.
    ///   - reauthenticating: Whether a login re-authenticates the user of the current session.
    /// - Returns: The flow.
    /// - Throws: ``LatchkeyError``.
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
                // Without a session, the server begins an ordinary login.
                _ = try await api.whoami(try held.token)
                throw LatchkeyError(.invalidAnswer, message: "The server did not begin a re-authentication.")
            }
            return flow
        }
    }

    /// Reads a flow from the server, for instance after a restart of the app.
    package func flow(_ kind: Flow.Kind, id: String) async throws(LatchkeyError) -> Flow {
        guard kind == .settings else { return try await api.readFlow(kind, id: id, token: nil) }
        return try await withSession { held throws(LatchkeyError) in
            try await api.readFlow(kind, id: id, token: try held.token)
        }
    }

    /// Submits answers to a flow.
    ///
    /// A session that the server opens is stored before the method returns, with a device certificate where
    /// the server requires one.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - flow: The flow, as it was last received.
    ///   - attempt: The login attempt, if it began before the call; `nil` begins a new one with a submission
    ///     that may open a session.
    /// - Returns: The outcome.
    /// - Throws: ``LatchkeyError``; in this case, an existing session is unchanged unless it has ended.
    package func submit(
        _ answers: FlowAnswers,
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

    /// Submits answers that may open a session, as a login attempt.
    private func logIn(
        _ flow: Flow,
        with answers: FlowAnswers,
        attempt: LoginAttempt?
    ) async throws(LatchkeyError) -> FlowOutcome {
        let attempt = attempt ?? keeper.beginAttempt()
        return try await keeper.run(attempt) { () async throws(LatchkeyError) -> FlowOutcome in
            try await keeper.requireStorage()
            let key = PendingKey(try await signer.createKey(), signer: signer, time: time)
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

    /// Stores the session that a reply opens.
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

    /// Requests the session of a recovery, whose response contains only the token.
    ///
    /// If the server requires a certificate, it returns the session only after the key has been certified.
    /// The certificate request that follows repeats this one and gets the same certificate.
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

    /// Submits answers to a re-authentication, and stores the session's new token.
    private func reauthenticate(
        _ flow: Flow,
        with answers: FlowAnswers,
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

    /// Stores the new token of the current session.
    ///
    /// If the credentials belong to another account, or the session has ended meanwhile, the server opens
    /// another session, which this device does not use.
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
                message: "The credentials belong to another account than the session."
            )
        }
        guard authentication.session.id == current.id || current.id.isEmpty else {
            await discard(authentication.token)
            throw .sessionEndedMeanwhile
        }
        var stored = held.stored
        stored.credential = .sessionToken(authentication.token, pair: stored.pair)
        stored.session = authentication.session
        // The response's expiry may be that of a session without a certificate.
        if let expiry = current.expiresAt, let renewed = stored.session.expiresAt, renewed < expiry {
            stored.session.expiresAt = expiry
        }
        guard keeper.held?.handle.login == held.handle.login else { throw .replaced }
        guard !Task.isCancelled else { throw .cancelled }
        try await keeper.commit(stored, of: attempt)
    }

    /// Revokes a session that is not used; a failure is ignored, because the session expires by itself.
    private func discard(_ token: Secret) async {
        do throws(LatchkeyError) {
            try await api.logOut(token)
        } catch {}
    }

    /// Submits answers to a settings flow, and updates the stored session if they were saved.
    private func change(_ flow: Flow, with answers: FlowAnswers) async throws(LatchkeyError) -> FlowOutcome {
        try await withSession { held throws(LatchkeyError) in
            let reply = try await api.submit(answers, to: flow, token: try held.token, proof: nil)
            if case .flow(let changed, _) = reply, let profile = changed.profile,
                profile.id == held.stored.session.identity.id
            {
                await keeper.amend(held) { $0.session.identity = Identity(profile) }
            }
            return try outcome(of: reply)
        }
    }

    /// Submits answers to a verification, with the current session if there is one.
    private func verify(_ flow: Flow, with answers: FlowAnswers) async throws(LatchkeyError) -> FlowOutcome {
        await keeper.ready()
        let token = keeper.held?.stored.sessionToken
        return try outcome(of: try await api.submit(answers, to: flow, token: token, proof: nil))
    }

    /// Returns the outcome of a reply to a submission that must not open a session.
    private func outcome(of reply: FlowReply) throws(LatchkeyError) -> FlowOutcome {
        switch reply {
        case .flow(let flow, let next):
            // Kratos rejects a sign-up with a correct code in the state "passed" if the account exists.
            let isCompleted = (flow.state == .passed || flow.state == .saved) && !flow.hasErrors
            return isCompleted ? .completed(flow, next: next) : .continues(flow, next: next)
        case .other(let outcome): return outcome
        case .authenticated, .recovered:
            throw LatchkeyError(
                .invalidAnswer,
                message: "The server opened a session in response to a submission without credentials."
            )
        }
    }

    // MARK: The session

    /// Performs requests with the current session, which ends if the server responds that it has ended.
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

    /// Returns whether a failed request means that the session has ended; asks the server if needed.
    ///
    /// Some routes of Ory Kratos respond with a 401 that does not say whether the session has ended.
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
    /// The session token, which the routes of self-service require.
    ///
    /// - Throws: ``LatchkeyError/Code/refused`` for a login by an OAuth grant, which has no session token.
    var token: Secret {
        get throws(LatchkeyError) {
            guard let token = stored.sessionToken else {
                throw LatchkeyError(
                    .refused,
                    message: "The login has no session token, which this request requires."
                )
            }
            return token
        }
    }
}

extension FlowAnswers {
    /// Whether the server may open a session in response: not if the answers only request a code or contain
    /// only traits.
    fileprivate var mayOpenSession: Bool {
        switch method {
        case "code": values["code"] != nil
        case "profile": false
        default: true
        }
    }
}

extension Identity {
    /// Creates the account of a session from a profile.
    init(_ profile: AccountProfile) {
        self.init(
            id: profile.id,
            schema: profile.schema,
            traits: .object(profile.traits.values),
            metadata: profile.publicMetadata ?? .null
        )
    }
}

extension LatchkeyError {
    /// The server ended the session.
    fileprivate static let sessionEndedOnServer = LatchkeyError(
        .sessionEnded,
        message: "The session has expired or was revoked. Log in again."
    )

    /// The session ended while its user re-authenticated.
    fileprivate static let sessionEndedMeanwhile = LatchkeyError(
        .sessionEnded,
        message: "The session ended before the user re-authenticated. Log in again."
    )
}
