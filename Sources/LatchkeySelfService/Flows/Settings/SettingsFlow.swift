package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The settings flow, which changes the traits or password of the logged-in identity.
///
/// All requests require a session of the identity that the flow belongs to.
package struct SettingsFlow: SelfServiceFlow {
    /// The inputs for handling a settings submission, besides its body.
    package struct Step: FlowStep {
        package let context: RequestContext
        package let flow: Flow
        /// The identity's current schema, which may differ from the flow's schema.
        let schema: IdentitySchema
        /// The session and its identity, as they were read before the submission was parsed.
        let found: SessionRepository.Found

        /// The form with the current traits.
        let current: Form

        package var identity: IdentityRecord? { found.identity }
    }

    package static let kind = FlowKind.settings

    private let sessionSettings: SessionSettings
    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let lifecycle: FlowLifecycle
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let profile: ProfileChange
    private let passwords: PasswordChange

    package init(
        lifecycle: FlowLifecycle,
        forms: FormSettings,
        sessions: SessionAuthenticator,
        profile: ProfileChange,
        passwords: PasswordChange,
        sessionSettings: SessionSettings,
        schemas: SchemaCatalog,
        time: any TimeSource
    ) {
        self.lifecycle = lifecycle
        self.forms = forms
        self.sessions = sessions
        self.profile = profile
        self.passwords = passwords
        self.sessionSettings = sessionSettings
        self.schemas = schemas
        self.time = time
    }

    /// Starts a settings flow that shows the current traits.
    ///
    /// - Throws: A ``ServerError`` with status 401 and the id `session_inactive` if the request has no
    ///   session, 403 if the session is provisional, 409 if the identity's schema was removed, or 400 if the
    ///   query is invalid. Also throws ``DatabaseError``.
    package func begin(_ context: RequestContext) async throws -> FlowOutcome {
        let request = try lifecycle.request(.settings, in: context)
        let found = try await sessions.session(of: context, refusal: .sessionInactive)
        let schema = try schema(of: found.identity)
        let flow = try await lifecycle.begin(
            .settings,
            for: request,
            in: context,
            of: found.identity,
            schema: schema,
            form: Form.showing(found.identity, by: schema)
        )
        return .shown(flow, of: found.identity)
    }

    /// Returns the flow with its stored form.
    ///
    /// Missing values are filled in from the current traits.
    ///
    /// - Throws: A ``ServerError`` with status 401 if the request has no session, 403 if the session is
    ///   provisional or the flow belongs to another identity, 404 if the id is missing, invalid or unknown,
    ///   or 410 if the flow has expired. Also throws ``DatabaseError``.
    package func show(_ context: RequestContext) async throws -> FlowOutcome {
        let found = try await sessions.session(of: context, refusal: .sessionInactive)
        var flow = try await lifecycle.show(.settings, in: context) { flow throws(ServerError) in
            try refuseStranger(found, to: flow)
        }
        if let schema = schemas[found.identity.schemaID] {
            flow.restoreForm(over: Form.showing(found.identity, by: schema).values)
        }
        return .shown(flow, of: found.identity)
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open and belongs to the logged-in identity.
    ///
    /// - Throws: A ``ServerError`` with status 401 if the request has no session, 403 if the session is
    ///   provisional or the flow belongs to another identity, 400 if the query has no valid id, 404 if the id
    ///   is unknown, or 409 if the identity's schema was removed. Also throws ``DatabaseError``.
    package func admit(_ context: RequestContext) async throws -> FlowAdmission<Step> {
        let flow = try await lifecycle.flow(.settings, of: context)
        let found = try await sessions.session(of: context, refusal: .sessionInactive)
        try refuseStranger(found, to: flow)
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, at: context.now, from: context.peer)
            return .declined(.expired(next))
        }
        let schema = try schema(of: found.identity)
        let current = Form.showing(found.identity, by: schema)
        return .admitted(
            Step(context: context, flow: flow, schema: schema, found: found, current: current)
        )
    }

    package func form(refusing reason: String, at step: Step) -> Form {
        step.current.with(.refusal(reason))
    }

    /// Parses a submission.
    ///
    /// If a submission without traits is rejected, the form shows the current traits.
    package func parse(_ submission: Submission, at step: Step) -> FlowInput<SettingsInput> {
        let input = SettingsInput.parse(
            submission,
            schema: step.schema,
            settings: forms,
            waived: step.found.identity.waivedFields,
            current: step.current.values
        )
        guard case .refused(let form) = input else { return input }
        let hasTraits = submission.body["traits"] != nil && submission.method != "password"
        return .refused(hasTraits ? form : form.over(step.current))
    }

    /// Changes the traits or the password, and then saves the form in a separate transaction.
    ///
    /// After a change has been saved, the flow stays open for more changes.
    ///
    /// - Throws: A ``ServerError`` with status 401 if the session has ended in the meantime, 429 if a rate
    ///   limit has been reached, or 503 if the password cannot be checked against known breaches. Also throws
    ///   ``PasswordHasherError`` and ``DatabaseError``.
    package func perform(_ input: SettingsInput, at step: Step) async throws -> FlowOutcome {
        let request = SettingsRequest(
            context: step.context,
            flow: step.flow,
            schema: step.schema,
            session: step.found.session,
            hasReplacedToken: step.found.isTokenReplaced,
            privilegedAge: sessionSettings.privilegedAge
        )
        switch input {
        case .profile(let traits, let form):
            let outcome = try await profile.change(to: traits, form: form, for: request)
            return try await self.outcome(outcome, of: step, by: "profile")
        case .password(let password):
            // A new password gives control over the account, so we require a privileged session before we
            // check the password.
            var outcome = try await passwords.change(to: password, for: request)
            if case .refused(let form) = outcome { outcome = .refused(form.over(step.current)) }
            return try await self.outcome(outcome, of: step, by: "password")
        }
    }

    /// Converts the outcome of a change into the outcome of the flow, and saves the form that the flow shows.
    private func outcome(
        _ outcome: SettingsOutcome,
        of step: Step,
        by method: String
    ) async throws -> FlowOutcome {
        switch outcome {
        case .saved(let identity, let verifications):
            var flow = step.flow
            flow.state = .success
            let form = Form.showing(identity, by: step.schema).with(.settingsSaved)
            return .passed(
                try await lifecycle.update(flow, showing: form, at: time.now, from: step.context.peer),
                by: method,
                of: identity,
                then: verifications.map(\.continuation)
            )
        case .waits(let verification):
            let form = step.current.with(.verificationCodeSent(verification.address))
            return .shown(
                try await lifecycle.update(step.flow, showing: form, at: time.now, from: step.context.peer),
                of: step.found.identity,
                then: [verification.continuation]
            )
        case .refused(let form):
            return try await lifecycle.refuse(
                step.flow,
                with: form,
                at: time.now,
                of: step.found.identity,
                from: step.context.peer
            )
        case .needsRefresh: return .refreshRequired(step.flow)
        case .sessionOver:
            throw ServerError(
                401,
                id: .sessionInactive,
                reason: "The session is no longer active, or the account was disabled or deleted."
            )
        }
    }

    /// Returns the identity's schema.
    ///
    /// Throws a ``ServerError`` with status 409 if the operator has removed the schema.
    private func schema(of identity: IdentityRecord) throws(ServerError) -> IdentitySchema {
        guard let schema = schemas[identity.schemaID] else {
            throw ServerError(
                409,
                reason: "The identity's schema no longer exists on this server."
            )
        }
        return schema
    }

    /// Rejects the request with status 403 if the flow belongs to another identity.
    private func refuseStranger(_ found: SessionRepository.Found, to flow: Flow) throws(ServerError) {
        guard flow.identityID == found.identity.id else {
            throw ServerError(403, id: .identityMismatch, reason: "The flow belongs to another identity.")
        }
    }
}
