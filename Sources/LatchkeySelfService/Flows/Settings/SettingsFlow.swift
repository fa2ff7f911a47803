import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The settings flow, which changes the traits or password of the logged-in identity.
///
/// All requests require a session of the identity that the flow belongs to.
struct SettingsFlow: SelfServiceFlow {
    static let kind = FlowKind.settings

    private let schemas: SchemaCatalog
    private let lifecycle: FlowLifecycle
    private let forms: MethodForms
    private let sessions: SessionAuthenticator
    private let duties: Duties

    init(_ services: MethodServices, forms: MethodForms) {
        schemas = services.accounts.schemas
        lifecycle = services.lifecycle
        self.forms = forms
        sessions = services.accounts.authenticator
        duties = services.accounts.duties
    }

    /// Starts a settings flow that shows the current traits.
    ///
    /// - Throws: A ``ServerError`` with status 401 and the id `session_inactive` if the request has no
    ///   session, 403 if the session is provisional, 409 if the identity's schema was removed, or 400 if the
    ///   query is invalid. Also throws ``DatabaseError``.
    func begin(_ context: RequestContext, for type: FlowType) async throws -> FlowOutcome {
        let request = try await lifecycle.request(.settings, for: type, in: context)
        let found = try await sessions.requiredSession(of: context, for: type)
        let schema = try schema(of: found.identity)
        let flow = try await lifecycle.begin(
            .settings,
            for: request,
            in: context,
            of: found.identity,
            schema: schema,
            form: Form.showing(found.identity, by: schema)
        )
        return .shown(try await withFields(flow, of: found, in: context), of: found.identity)
    }

    /// Returns the flow with its stored form.
    ///
    /// Missing values are filled in from the current traits.
    ///
    /// - Throws: A ``ServerError`` with status 401 if the request has no session, 403 if the session is
    ///   provisional or the flow belongs to another identity, 404 if the id is missing, invalid or unknown,
    ///   or 410 if the flow has expired. Also throws ``DatabaseError``.
    func show(_ context: RequestContext) async throws -> FlowOutcome {
        let found = try await sessions.requiredSession(of: context)
        var flow = try await lifecycle.show(.settings, in: context) { flow throws(ServerError) in
            try refuseStranger(found, to: flow)
        }
        if let schema = schemas[found.identity.schemaID] {
            flow.restoreForm(over: Form.showing(found.identity, by: schema).values)
        }
        return .shown(try await withFields(flow, of: found, in: context), of: found.identity)
    }

    /// Returns a flow with the rules of the client that it leads to, or else of the session's client, and with the
    /// fields that the user can change while a duty blocks.
    ///
    /// The form shows messages about current values that don't fulfil the rules. They aren't stored, because the
    /// rules may change.
    private func withFields(
        _ flow: Flow,
        of found: AuthenticatedSession,
        in context: RequestContext
    ) async throws -> Flow {
        // A user who has recovered the account sets a new password before continuing to the client.
        let isRecovered = found.session.authentications.last?.method == .codeRecovery
        let led = isRecovered ? nil : flow.authorization?.client.id
        let clientID = led ?? found.session.clientID
        var flow = try await lifecycle.withRequirements(flow, of: clientID, for: found.identity, in: context)
        flow.dutyClientID = clientID
        let open = try await duties.open(for: found.identity, at: clientID, now: context.now)
        let fields = Set(open.flatMap(\.fields))
        if led != nil || open.firstBlocking != nil, !fields.isEmpty {
            flow.dutyFields = fields.union(invalidFields(of: found.identity, besides: fields))
        }
        flow.noteInvalidFields(of: found.identity.traits)
        return flow
    }

    /// Returns the traits that the schema no longer accepts, because no change of others could be saved without them.
    private func invalidFields(of identity: IdentityRecord, besides fields: Set<String>) -> Set<String> {
        guard let schema = schemas[identity.schemaID],
            schema.fields.contains(where: { fields.contains($0.name) })
        else { return [] }
        var form = Form()
        _ = TraitValidator.read(
            identity.traits,
            schema: schema,
            optional: identity.waivedFields,
            into: &form
        )
        return Set(form.fieldMessages.map(\.field))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open and belongs to the logged-in identity.
    ///
    /// - Throws: A ``ServerError`` with status 401 if the request has no session, 403 if the session is
    ///   provisional or the flow belongs to another identity, 400 if the query has no valid id, 404 if the id
    ///   is unknown, or 409 if the identity's schema was removed. Also throws ``DatabaseError``.
    func admit(_ context: RequestContext, to flow: Flow) async throws -> FlowAdmission {
        let found = try await sessions.requiredSession(of: context, for: flow.type)
        try refuseStranger(found, to: flow)
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, in: context)
            return .declined(.expired(next))
        }
        let schema = try schema(of: found.identity)
        let current = Form.showing(found.identity, by: schema)
        let flow = try await withFields(flow, of: found, in: context)
        return .admitted(
            FlowContext(context, flow: flow, schema: schema, session: found, form: current)
        )
    }

    /// Accepts only the profile while a duty blocks, because the user completes it there.
    ///
    /// ``FieldChangeCheck`` restricts it to the fields that the duties ask for.
    ///
    /// - Throws: A ``ServerError`` with status 403 and the id `duty_required`, or ``DatabaseError``.
    func requireAllowed(_ method: String?, in context: FlowContext) async throws {
        guard method != MethodForms.profile, let found = context.session else { return }
        let open = try await duties.open(
            for: found.identity,
            at: context.flow.dutyClientID,
            now: context.request.now
        )
        try Duties.requireNoneBlocking(among: open)
        try await duties.requireNoneBlocking(for: found, in: context.request)
    }

    func ended(_ context: FlowContext) async throws -> FlowOutcome {
        let request = context.request
        return .expired(
            try await lifecycle.replacement(of: context.flow, in: request)
        )
    }

    /// Returns the profile method for the button that refuses documents, which submits no method.
    func methodName(of submission: Submission) -> String? {
        submission.optionalText(FlowTerms.declineField) == nil ? submission.method : MethodForms.profile
    }

    /// Returns the form of a rejected submission, which shows the current traits unless it has its own.
    func form(
        _ form: Form,
        refusing submission: Submission?,
        in context: FlowContext
    ) -> Form {
        guard let submission, submission.body["traits"] != nil else { return form.over(context.form) }
        let hasOtherMethod = submission.method.map { $0 != MethodForms.profile && forms.names.contains($0) }
        return hasOtherMethod == true ? form.over(context.form) : form
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
    private func refuseStranger(_ found: AuthenticatedSession, to flow: Flow) throws(ServerError) {
        guard flow.identityID == found.identity.id else {
            throw ServerError(403, id: .identityMismatch, reason: "The flow belongs to another identity.")
        }
    }
}
