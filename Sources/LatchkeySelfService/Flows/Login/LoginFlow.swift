import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The login flow, which can also re-authenticate a user who already has a session, or ask for a second
/// factor.
struct LoginFlow: SelfServiceFlow {
    static let kind = FlowKind.login

    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let lifecycle: FlowLifecycle
    private let forms: MethodForms
    private let sessions: SessionAuthenticator
    private let identities: IdentityRepository

    init(_ services: MethodServices, forms: MethodForms) {
        schemas = services.accounts.schemas
        time = services.environment.time
        lifecycle = services.lifecycle
        self.forms = forms
        sessions = services.accounts.authenticator
        identities = services.accounts.identities
    }

    // MARK: Beginning

    /// Starts a login.
    ///
    /// A caller who already has a session can only re-authenticate or request a second factor, unless a client asks
    /// for the login: it may need a new one, or one of another account.
    ///
    /// - Throws: A ``ServerError`` with status 400 and the id `session_already_available` if the caller has a
    ///   session and requests neither `refresh` nor `aal2` for itself. The status is 401, with the id
    ///   `session_aal1_required`, if the caller requests `aal2` without a session. An invalid query also
    ///   results in status 400. Also throws ``DatabaseError``.
    func begin(_ context: RequestContext, for type: FlowType) async throws -> FlowOutcome {
        let request = try await lifecycle.request(.login, for: type, in: context)
        guard let present = try await sessions.session(of: context, for: type) else {
            guard request.aal == .aal1 else { throw Self.firstFactorRequired }
            // Without a session, there is no user to re-authenticate, so this becomes an ordinary login.
            let form = Form.hinting(at: request.authorization?.loginHint)
            return .shown(
                try await lifecycle.begin(.login, for: request.withoutRefresh, in: context, form: form)
            )
        }
        guard request.refresh || Self.lacks(request.aal, in: present) else {
            if let authorization = request.authorization {
                let form = Form.hinting(at: authorization.loginHint)
                return .shown(try await lifecycle.begin(.login, for: request, in: context, form: form))
            }
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason:
                    "A valid session was detected, so login is not possible. Use refresh=true to re-authenticate."
            )
        }
        let form = try await form(for: request, of: present.identity)
        let identity = present.identity.id
        return .shown(
            try await lifecycle.begin(.login, for: request, in: context, identityID: identity, form: form)
        )
    }

    /// Returns whether a session lacks the second factor that a login asks for.
    private static func lacks(_ level: AssuranceLevel, in present: AuthenticatedSession) -> Bool {
        level == .aal2 && present.session.authentications.level == .aal1
    }

    private static let firstFactorRequired = ServerError(
        401,
        id: .sessionAAL1Required,
        reason: "A second factor can only be requested with an active session."
    )

    /// Returns the initial form for a re-authentication, filled in with the user's identifier.
    private func form(for request: FlowRequest, of identity: IdentityRecord) async throws -> Form {
        var form = Form()
        if request.refresh { form.messages.append(.reauthenticate) }
        if request.aal == .aal2 { form.messages.append(.secondFactor) }
        // If the field is shown, the user may have several addresses to choose from, so we leave it empty.
        guard hidesIdentifier(for: request) else { return form }
        if let identifier = try await identities.identifier(of: identity.id) {
            form.values["identifier"] = .string(identifier)
        }
        return form
    }

    /// Returns whether the form of a flow has a hidden field for the identifier.
    private func hidesIdentifier(for request: FlowRequest) -> Bool {
        let context = FormContext(
            .login,
            refresh: request.refresh,
            level: request.aal,
            schema: request.schema ?? schemas.standard
        )
        return forms.nodes(in: context).contains { node in
            guard case .input(let input) = node.attributes else { return false }
            return input.name == "identifier" && input.type == "hidden"
        }
    }

    func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.login, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open.
    ///
    /// If the caller already has a session, the submission is rejected with a message in the form, even if
    /// the flow has ended. This doesn't apply if the flow requests a re-authentication or a second factor, or if a
    /// client asks for the login.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the query has no valid id, or 404 if the flow doesn't
    ///   exist. Also throws ``DatabaseError``.
    func admit(_ context: RequestContext, to flow: Flow) async throws -> FlowAdmission {
        let present = try await sessions.session(of: context, for: flow.type)
        if flow.requestedAAL == .aal2 {
            guard let present else { throw Self.firstFactorRequired }
            // Otherwise, another user's session could finish the second step.
            guard flow.identityID == present.identity.id else {
                throw ServerError(403, id: .identityMismatch, reason: "The flow belongs to another identity.")
            }
        }
        if Self.leadsOn(flow, withSession: present != nil) { return .declined(.continued(flow)) }
        if let present, flow.loginChallenge == nil, !flow.refresh, !Self.lacks(flow.requestedAAL, in: present)
        {
            let form = Form(messages: [
                .refusal(
                    "A valid session was detected, so login is not possible. Use refresh=true to re-authenticate."
                )
            ])
            return .declined(
                .alreadyLoggedIn(
                    try await lifecycle.update(flow, showing: form, at: context.now, from: context.peer)
                )
            )
        }
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, in: context)
            return .declined(.expired(next))
        }
        let schema = schemas[flow.schemaID] ?? schemas.standard
        return .admitted(FlowContext(context, flow: flow, schema: schema, session: present))
    }

    /// Returns whether a client's login that is submitted again leads to the client's request.
    ///
    /// The browser may not have received the session of its first submission. The password then opens another one,
    /// but a code has been used up.
    private static func leadsOn(_ flow: Flow, withSession hasSession: Bool) -> Bool {
        flow.type == .browser && flow.loginChallenge != nil && flow.completedAt != nil && !flow.refresh
            && (hasSession || flow.active != AuthenticationMethod.password.name)
    }

    func ended(_ context: FlowContext) async throws -> FlowOutcome {
        // Hashing a password may have taken a while, so this isn't the time of the request.
        .expired(
            try await lifecycle.replacement(of: context.flow, at: time.now, in: context.request)
        )
    }
}
