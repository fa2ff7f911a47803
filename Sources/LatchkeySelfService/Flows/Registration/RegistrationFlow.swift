import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The registration flow, which creates an identity from traits and a password or code.
///
/// Requests with a session are rejected, unless a client asks for the registration.
struct RegistrationFlow: SelfServiceFlow {
    static let kind = FlowKind.registration

    private let settings: RegistrationSettings
    private let schemas: SchemaCatalog
    private let time: any TimeSource
    private let lifecycle: FlowLifecycle
    private let forms: FormSettings
    private let sessions: SessionAuthenticator
    private let verification: VerificationSettings

    init(_ services: MethodServices) {
        settings = services.settings.registration
        schemas = services.accounts.schemas
        time = services.environment.time
        lifecycle = services.lifecycle
        forms = services.forms
        sessions = services.accounts.authenticator
        verification = services.settings.verification
    }

    // MARK: Beginning

    /// Starts a registration.
    ///
    /// - Throws: A ``ServerError`` with status 400 and the id `self_service_flow_disabled` if registration is
    ///   disabled or the schema isn't open for registration, or not in browsers. The status is also 400 if the query is invalid
    ///   or the request has a session. Also throws ``DatabaseError``.
    func begin(_ context: RequestContext, for type: FlowType) async throws -> FlowOutcome {
        // Requests for an unknown schema get the same response as requests for one that isn't open for
        // registration.
        let named = context.query["identity_schema"].flatMap { $0.isEmpty ? nil : $0 }
        try refuseIfClosed(named.map { schemas[$0] } ?? schemas.standard, for: type)
        let request = try await lifecycle.request(.registration, for: type, in: context)
        _ = try await signUp(at: request.authorization?.client, orClient: request.clientID)
        guard verification.isEnabled || request.authorization?.continuesByLink != true else {
            throw ServerError.malformed(
                "Mailed links need the verification of addresses, which is disabled on this server."
            )
        }
        if request.authorization == nil || type == .api {
            try refuse(try await sessions.session(of: context, for: type))
        }
        let form = Form.hinting(
            at: request.authorization?.loginHint,
            for: request.schema ?? schemas.standard
        )
        return .shown(try await lifecycle.begin(.registration, for: request, in: context, form: form))
    }

    func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.registration, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open and the caller has no session, or a client asks for it.
    ///
    /// The schema is checked again, because the operator may have removed it or closed it for registration
    /// since the flow started.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the query has no valid id, the request has a session,
    ///   or the schema isn't open for registration. The status is 404 if the flow doesn't exist. Also throws
    ///   ``DatabaseError``.
    func admit(_ context: RequestContext, to flow: Flow) async throws -> FlowAdmission {
        let present = try await sessions.session(of: context, for: flow.type)
        if flow.loginChallenge == nil || flow.type == .api {
            try refuse(present)
        } else if flow.completedAt != nil {
            return .declined(.continued(flow))
        }
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, in: context)
            return .declined(.expired(next))
        }
        guard let schema = schemas[flow.schemaID] else { throw Self.closed }
        try refuseIfClosed(schema, for: flow.type)
        let rule = try await signUp(at: flow.authorization?.client, orClient: flow.clientID)
        var flow = flow
        flow.endsByLink =
            flow.type == .api && verification.isEnabled
            && (rule == .link || flow.authorization?.continuesByLink == true)
        return .admitted(FlowContext(context, flow: flow, schema: schema, session: present))
    }

    func methodName(of submission: Submission) -> String? {
        forms.registrationStyle == .profileFirst && submission.goesBack
            ? MethodForms.profile : submission.method
    }

    func ended(_ context: FlowContext) async throws -> FlowOutcome {
        // Hashing a password may have taken a while, so this isn't the time of the request.
        .expired(
            try await lifecycle.replacement(of: context.flow, at: time.now, in: context.request)
        )
    }

    /// Returns how users can sign up at a client.
    ///
    /// - Throws: A ``ServerError`` with status 400 if they can't, or ``DatabaseError``.
    private func signUp(
        at known: OAuthClient?,
        orClient id: String?
    ) async throws -> OwnClientMembers.SignUp {
        var client = known
        if client == nil, let id { client = try await lifecycle.clients.client(id) }
        let rule = client?.metadata.own.signUp ?? .open
        guard rule != .closed else { throw Self.closedClient }
        return rule
    }

    private static let closedClient = ServerError(
        400,
        id: .flowDisabled,
        reason: "Registration is disabled for this client."
    )

    /// The error for a schema that is unknown or not open for registration.
    private static let closed = ServerError(
        400,
        id: .flowDisabled,
        reason: "Registration is disabled for this identity schema."
    )

    /// Rejects the request with status 400 if the schema is unknown or not open for registration.
    ///
    /// A browser can't have the device certificate that some schemas require, so their users sign up in the
    /// app.
    private func refuseIfClosed(_ schema: IdentitySchema?, for type: FlowType) throws(ServerError) {
        guard let schema, settings.isOpen(for: schema, standard: schemas.standard),
            type == .api || !schema.policy.needsCertificate
        else { throw Self.closed }
    }

    /// Rejects the request with status 400 if it has a session.
    private func refuse(_ present: AuthenticatedSession?) throws(ServerError) {
        guard present == nil else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason: "A valid session was detected, so registration is not possible."
            )
        }
    }
}
