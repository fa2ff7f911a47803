package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The routes of settings (`contract/kratos.md`).
///
/// All of them require a session of the identity to which the flow belongs.
package struct SettingsEndpoints: Sendable {
    private let sessionSettings: SessionSettings
    private let urls: ServerURLs
    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let database: any Database
    private let gate: FlowGate
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let profile: ProfileChange
    private let passwords: PasswordChange

    package init(
        gate: FlowGate,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        profile: ProfileChange,
        passwords: PasswordChange,
        sessionSettings: SessionSettings,
        urls: ServerURLs,
        schemas: SchemaCatalog,
        time: any TimeSource,
        database: any Database
    ) {
        self.gate = gate
        self.forms = forms
        self.sessions = sessions
        self.profile = profile
        self.passwords = passwords
        self.sessionSettings = sessionSettings
        self.urls = urls
        self.schemas = schemas
        self.time = time
        self.database = database
    }

    /// The routes of this group.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, FlowKind.settings.initPath, operation: .begin(.settings), answer: begin),
            Endpoint(.get, FlowKind.settings.showPath, operation: .show(.settings), answer: show),
            Endpoint(.post, FlowKind.settings.path, operation: .submit(.settings), answer: submit),
        ]
    }

    private func begin(_ exchange: Exchange) async throws -> HTTP.Response {
        let request = try gate.request(.settings, in: exchange)
        let found = try await sessions.session(of: exchange, refusal: .sessionInactive)
        let schema = try schema(of: found.identity)
        return try await gate.begin(
            .settings,
            for: request,
            in: exchange,
            of: found.identity,
            schema: schema,
            form: Form.showing(found.identity, by: schema)
        )
    }

    /// Returns a flow, with the current traits in the fields for which it stores no value.
    private func show(_ exchange: Exchange) async throws -> HTTP.Response {
        let found = try await sessions.session(of: exchange, refusal: .sessionInactive)
        var flow = try await gate.flow(.settings, named: "id", of: exchange)
        try refuseStranger(found, to: flow)
        guard flow.expiresAt > exchange.now else { throw ServerError.flowExpired(nil) }
        if let schema = schemas[found.identity.schemaID] {
            flow.restoreForm(over: Form.showing(found.identity, by: schema).values)
        }
        return gate.answer(flow, status: 200, of: found.identity)
    }

    /// Answers a submission with the flow, which stays open for further changes.
    ///
    /// - Throws: 401 without a session, 403 for the flow of another identity, 409 if the schema was removed,
    ///   410 if the flow was voided or has expired.
    private func submit(_ exchange: Exchange) async throws -> HTTP.Response {
        let flow = try await gate.flow(.settings, of: exchange)
        let found = try await sessions.session(of: exchange, refusal: .sessionInactive)
        try refuseStranger(found, to: flow)
        try await gate.refuseIfOver(flow, at: exchange.now)
        let schema = try schema(of: found.identity)
        let current = Form.showing(found.identity, by: schema)
        switch try gate.submission(to: flow, in: exchange) {
        case .failure(let refusal):
            return try await gate.refuse(
                flow,
                with: current.with(.refusal(refusal.reason)),
                at: exchange.now,
                of: found.identity
            )
        case .success(let submission):
            let request = SettingsRequest(
                exchange: exchange,
                flow: flow,
                schema: schema,
                session: found.session,
                hasReplacedToken: found.isTokenReplaced,
                privilegedAge: sessionSettings.privilegedAge
            )
            return try await answer(submission, for: request, of: found.identity, current: current)
        }
    }

    /// Runs the method that a submission names, and turns its outcome into a response.
    ///
    /// - Throws: 401 if the session has ended, 403 to require re-authentication, 404 for a disabled method.
    private func answer(
        _ submission: Submission,
        for request: SettingsRequest,
        of identity: IdentityRecord,
        current: Form
    ) async throws -> HTTP.Response {
        let outcome: SettingsOutcome
        let released = identity.releasedFields(request.schema)
        switch SettingsSubmission(
            submission,
            schema: request.schema,
            settings: forms,
            released: released
        ) {
        case .disabled: throw ServerError(404, reason: "This settings method is disabled.")
        case .refused(let form):
            outcome = .refused(submission.body["traits"] == nil ? form.over(current) : form)
        case .profile(let traits, let form):
            outcome = try await profile.change(to: traits, form: form, for: request)
        case .password(let password):
            // A new password takes over the account, so the session must be privileged before it is checked.
            outcome = try await passwords.change(to: password, for: request)
        }
        switch outcome {
        case .saved(let identity, let verifications):
            gate.succeeded(.settings, by: submission.method)
            let form = Form.showing(identity, by: request.schema).with(.settingsSaved)
            return try await answer(request, state: .success, form: form, of: identity, then: verifications)
        case .waits(let verification):
            let form = current.with(.verificationCodeSent(verification.address))
            return try await answer(
                request,
                state: request.flow.state,
                form: form,
                of: identity,
                then: [verification]
            )
        case .refused(let form):
            return try await gate.refuse(
                request.flow,
                with: submission.method == "password" ? form.over(current) : form,
                at: time.now,
                of: identity
            )
        case .needsRefresh: throw refreshRequired(request.flow)
        case .sessionOver:
            throw ServerError(
                401,
                id: .sessionInactive,
                reason: "The session is no longer active, or the account was disabled or deleted."
            )
        }
    }

    /// Stores the new state and form of the flow, and answers with it and the verifications to continue with.
    private func answer(
        _ request: SettingsRequest,
        state: FlowState,
        form: Form,
        of identity: IdentityRecord,
        then verifications: [VerificationSending.Begun]
    ) async throws -> HTTP.Response {
        var flow = request.flow
        flow.state = state
        flow = gate.showing(form, in: flow, at: time.now)
        try await database.transaction { [flow] transaction in
            _ = try FlowRepository.update(flow, in: transaction)
        }
        return gate.answer(
            flow,
            status: 200,
            of: identity,
            continuation: verifications.map { .verification(flow: $0.flow, address: $0.address.value) }
        )
    }

    /// Returns the schema of an identity; 409 if the operator has removed it.
    private func schema(of identity: IdentityRecord) throws(ServerError) -> IdentitySchema {
        guard let schema = schemas[identity.schemaID] else {
            throw ServerError(
                409,
                reason: "The identity schema of this identity no longer exists on this server."
            )
        }
        return schema
    }

    /// Refuses a flow that belongs to another identity, with 403.
    private func refuseStranger(_ found: SessionRepository.Found, to flow: Flow) throws(ServerError) {
        guard flow.identityID == found.identity.id else {
            throw ServerError(403, id: .identityMismatch, reason: "The flow belongs to another identity.")
        }
    }

    /// Returns the 403 that asks for a re-authentication, with the URL that begins one in a browser.
    private func refreshRequired(_ flow: Flow) -> ServerError {
        let settings = urls.selfService + FlowKind.settings.path + "?flow=\(flow.id)"
        return ServerError(
            403,
            id: .sessionRefreshRequired,
            reason: "This change requires a recent login. Re-authenticate with refresh=true and retry.",
            browserLocation: urls.selfService + FlowKind.login.path
                + "/browser?refresh=true&return_to=" + QueryItems.encode(settings)
        )
    }
}
