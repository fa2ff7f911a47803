import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Converts the outcomes of changes, and saves the form that the flow shows.
struct SettingsCompletion: Sendable {
    private let lifecycle: FlowLifecycle
    private let time: any TimeSource
    private let privilegedAge: Duration

    init(_ services: MethodServices) {
        lifecycle = services.lifecycle
        time = services.environment.time
        privilegedAge = services.accounts.sessionSettings.privilegedAge
    }

    /// Returns the request to change an identity in its session.
    ///
    /// - Throws: ``ServerError`` with status 401 if there is no session.
    func request(_ context: FlowContext) throws(ServerError) -> SettingsRequest {
        guard let found = context.session else { throw Self.sessionOver }
        return SettingsRequest(
            context: context.request,
            flow: context.flow,
            schema: context.schema,
            session: found.session,
            token: found.presentedToken,
            hasReplacedToken: found.isTokenReplaced,
            privilegedAge: privilegedAge
        )
    }

    /// Returns the outcome of the flow, after a change by the given method.
    func outcome(
        of outcome: SettingsOutcome,
        in context: FlowContext,
        by method: String
    ) async throws -> FlowOutcome {
        let peer = context.request.peer
        switch outcome {
        case .saved(let identity, let verifications):
            var flow = context.flow
            flow.state = .success
            // The next request shows what is still open.
            (flow.dutyFields, flow.terms) = (nil, nil)
            let form = Form.showing(identity, by: context.schema).with(.settingsSaved)
            return .passed(
                try await lifecycle.update(flow, showing: form, at: time.now, from: peer),
                by: method,
                of: identity,
                then: verifications.map(\.continuation)
            )
        case .waits(let verification):
            let form = context.form.with(.verificationCodeSent(verification.address))
            return .shown(
                try await lifecycle.update(context.flow, showing: form, at: time.now, from: peer),
                of: context.shownIdentity,
                then: [verification.continuation]
            )
        case .refused(let form):
            return try await lifecycle.refuse(
                context.flow,
                with: form,
                at: time.now,
                of: context.shownIdentity,
                from: peer
            )
        case .needsRefresh: return .refreshRequired(context.flow)
        case .sessionOver: throw Self.sessionOver
        }
    }

    private static let sessionOver = ServerError(
        401,
        id: .sessionInactive,
        reason: "The session is no longer active, or the account was disabled or deleted."
    )
}
