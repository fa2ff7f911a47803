import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The recovery flow.
///
/// After the user has entered a code sent to one of the account's addresses, the recovery flow creates a
/// session and a settings flow.
///
/// Requests with a session are rejected, unless a client asks for a login: the user may have forgotten the password
/// of another account. Responses for addresses with and without an account are identical.
struct RecoveryFlow: SelfServiceFlow {
    static let kind = FlowKind.recovery

    private let settings: RecoverySettings
    private let schemas: SchemaCatalog
    private let lifecycle: FlowLifecycle
    private let sessions: SessionAuthenticator

    init(_ services: MethodServices) {
        settings = services.settings.recovery
        schemas = services.accounts.schemas
        lifecycle = services.lifecycle
        sessions = services.accounts.authenticator
    }

    /// Starts a recovery.
    ///
    /// - Throws: A ``ServerError`` with status 400 if recovery is disabled, the query is invalid, or the
    ///   request has a session. Also throws ``DatabaseError``.
    func begin(_ context: RequestContext, for type: FlowType) async throws -> FlowOutcome {
        try requireEnabled()
        let request = try await lifecycle.request(.recovery, for: type, in: context)
        if request.authorization == nil || type == .api {
            try refuse(try await sessions.session(of: context, for: type))
        }
        return .shown(try await lifecycle.begin(.recovery, for: request, in: context))
    }

    func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.recovery, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open and the caller has no session, or a client asks for the login.
    ///
    /// If the flow was already completed, the response is a new flow with status 200. If the flow has
    /// expired, the response is an error with status 410.
    ///
    /// - Throws: A ``ServerError`` with status 400 if recovery is disabled, the query has no valid id, or the
    ///   request has a session. The status is 404 if the flow doesn't exist. Also throws ``DatabaseError``.
    func admit(_ context: RequestContext, to flow: Flow) async throws -> FlowAdmission {
        let present = try await sessions.session(of: context, for: flow.type)
        if flow.loginChallenge == nil || flow.type == .api { try refuse(present) }
        guard flow.completedAt == nil else {
            return .declined(try await alreadyCompleted(flow, in: context))
        }
        guard !flow.isOver(at: context.now) else {
            let next = try await lifecycle.replacement(of: flow, in: context)
            return .declined(.expired(next))
        }
        let schema = schemas[flow.schemaID] ?? schemas.standard
        return .admitted(FlowContext(context, flow: flow, schema: schema, session: present))
    }

    func methodName(of submission: Submission) -> String? { submission.challengeMethod }

    func ended(_ context: FlowContext) async throws -> FlowOutcome {
        try await alreadyCompleted(context.flow, in: context.request)
    }

    /// Returns a new flow with a message that the form has already been used.
    private func alreadyCompleted(_ flow: Flow, in context: RequestContext) async throws -> FlowOutcome {
        let message = UIMessage.error(.recoveryDone, text: .usedAlready)
        return .waiting(
            try await lifecycle.next(after: flow, saying: message, in: context)
        )
    }

    /// Rejects the request with status 400 if the operator has disabled recovery.
    func requireEnabled() throws(ServerError) {
        guard settings.isEnabled else {
            throw .malformed("Account recovery is disabled on this server.")
        }
    }

    /// Rejects the request with status 400 if it has a session.
    private func refuse(_ present: AuthenticatedSession?) throws(ServerError) {
        guard present == nil else {
            throw ServerError(
                400,
                id: .sessionAlreadyAvailable,
                reason: "A valid session was detected, so recovery is not possible."
            )
        }
    }
}
