import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The verification flow, which verifies an address with a code that is sent to it.
///
/// The caller doesn't need a session. If the code is entered in a session of the account that has the
/// address, the address is proven from inside the account, which also confirms the account.
struct VerificationFlow: SelfServiceFlow {
    static let kind = FlowKind.verification

    private let verification: VerificationSettings
    private let schemas: SchemaCatalog
    private let lifecycle: FlowLifecycle

    init(_ services: MethodServices) {
        verification = services.settings.verification
        schemas = services.accounts.schemas
        lifecycle = services.lifecycle
    }

    /// Starts a verification that isn't bound to an account, even if the request has a session.
    ///
    /// - Throws: A ``ServerError`` with status 400 if verification is disabled or the query is invalid. Also
    ///   throws ``DatabaseError``.
    func begin(_ context: RequestContext, for type: FlowType) async throws -> FlowOutcome {
        try requireEnabled()
        let request = try await lifecycle.request(.verification, for: type, in: context)
        return .shown(try await lifecycle.begin(.verification, for: request, in: context))
    }

    func show(_ context: RequestContext) async throws -> FlowOutcome {
        .shown(try await lifecycle.show(.verification, in: context))
    }

    // MARK: Submitting

    /// Accepts a submission if the flow is open.
    ///
    /// If the flow was already completed, the response has status 410 and contains a replacement, unless the browser
    /// has opened its mailed link. If the flow has expired, the client is redirected to its replacement.
    ///
    /// - Throws: A ``ServerError`` with status 400 if verification is disabled or the query has no valid id,
    ///   or 404 if the flow doesn't exist. Also throws ``DatabaseError``.
    func admit(_ context: RequestContext, to flow: Flow) async throws -> FlowAdmission {
        let now = context.now
        guard flow.completedAt == nil else {
            // A user who clicks twice waits for the second response.
            if flow.isOpenedElsewhere, flow.state == .passedChallenge { return .declined(.shown(flow)) }
            return .declined(try await replaced(flow, in: context))
        }
        guard flow.expiresAt > now else {
            let message = UIMessage.flowExpired(.verification, at: flow.expiresAt)
            let next = try await lifecycle.next(after: flow, saying: message, in: context)
            return .declined(.moved(to: next))
        }
        return .admitted(
            FlowContext(context, flow: flow, schema: schemas[flow.schemaID] ?? schemas.standard)
        )
    }

    func methodName(of submission: Submission) -> String? { submission.challengeMethod }

    func ended(_ context: FlowContext) async throws -> FlowOutcome {
        try await replaced(context.flow, in: context.request)
    }

    /// Starts a replacement for a flow that was completed or has no guesses left.
    private func replaced(_ flow: Flow, in context: RequestContext) async throws -> FlowOutcome {
        let message = UIMessage.error(.verificationDone, text: .doneOrTriedTooOften)
        let now = context.now
        let next = try await lifecycle.next(after: flow, saying: message, in: context)
        return .replaced(FlowReplacement(flow: next, now: now))
    }

    /// Rejects the request with status 400 if the operator has disabled verification.
    func requireEnabled() throws(ServerError) {
        guard verification.isEnabled else {
            throw .malformed("Address verification is disabled on this server.")
        }
    }
}
