import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Serves the three routes of a kind of flow: begin, show and submit.
package struct FlowEngine<SelfService: SelfServiceFlow>: Sendable {
    private let flow: SelfService
    private let lifecycle: FlowLifecycle
    private let responder: any FlowResponder

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - flow: The rules of the flow.
    ///   - lifecycle: Reads submissions, and saves the form when a submission is rejected.
    ///   - responder: Converts the outcomes of submissions to responses.
    package init(_ flow: SelfService, lifecycle: FlowLifecycle, responder: any FlowResponder) {
        self.flow = flow
        self.lifecycle = lifecycle
        self.responder = responder
    }

    /// The routes of the flow.
    ///
    /// The paths are ``FlowKind/initPath``, ``FlowKind/showPath`` and ``FlowKind/path``. When a
    /// submission completes a flow, the transaction is committed before the metrics are updated. The response
    /// is created after that.
    package var endpoints: [Endpoint] {
        let kind = SelfService.kind
        return [
            Endpoint(.get, kind.initPath, accepts: .beginning(kind), operation: .begin(kind)) { context in
                try responder.respond(to: try await flow.begin(context), of: kind)
            },
            Endpoint(.get, kind.showPath, accepts: .showing(kind), operation: .show(kind)) { context in
                try responder.respond(to: try await flow.show(context), of: kind)
            },
            Endpoint(.post, kind.path, accepts: .submitting(kind), operation: .submit(kind)) { context in
                let outcome = try await submit(context)
                if outcome.completion.isComplete {
                    lifecycle.countCompletion(of: kind, by: outcome.completion.method)
                }
                return try responder.respond(to: outcome, of: kind)
            },
        ]
    }

    /// Looks up the flow, parses the request body and performs the submission.
    ///
    /// The flow is looked up before the body is parsed, because its schema determines the types of the form
    /// fields. If the body cannot be read, or a field is missing or invalid, the flow's form shows the error.
    ///
    /// - Throws: A ``ServerError`` with status 404 if the method is disabled, or 413 if the body is too
    ///   large. Errors thrown by the flow are rethrown.
    private func submit(_ context: RequestContext) async throws -> FlowOutcome {
        let step: SelfService.Step
        switch try await flow.admit(context) {
        case .declined(let outcome): return outcome
        case .admitted(let admitted): step = admitted
        }
        switch try lifecycle.submission(to: step.flow, in: context) {
        case .failure(let refusal):
            return try await refuse(step, with: flow.form(refusing: refusal.reason, at: step))
        case .success(let submission):
            switch flow.parse(submission, at: step) {
            case .disabled:
                throw ServerError(404, reason: "This \(SelfService.kind.rawValue) method is disabled.")
            case .refused(let form): return try await refuse(step, with: form)
            case .valid(let input): return try await flow.perform(input, at: step)
            }
        }
    }

    /// Saves the form of a rejected submission and returns it as the outcome.
    private func refuse(_ step: SelfService.Step, with form: Form) async throws -> FlowOutcome {
        try await lifecycle.refuse(
            step.flow,
            with: form,
            at: step.context.now,
            of: step.identity,
            from: step.context.peer
        )
    }
}
