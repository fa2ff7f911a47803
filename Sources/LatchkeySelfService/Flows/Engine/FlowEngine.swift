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
    ///   - lifecycle: Reads submissions, and stores the forms of rejected ones.
    ///   - responder: Converts outcomes to responses.
    package init(_ flow: SelfService, lifecycle: FlowLifecycle, responder: any FlowResponder) {
        self.flow = flow
        self.lifecycle = lifecycle
        self.responder = responder
    }

    /// The routes of the flow.
    ///
    /// The paths are ``FlowKind/initPath``, ``FlowKind/showPath`` and ``FlowKind/path``. A completed flow is
    /// counted in the metrics after its transaction is committed and before the response is created.
    package var endpoints: [Endpoint] {
        let kind = SelfService.kind
        return [
            Endpoint(.get, kind.initPath, operation: .begin(kind)) { context in
                try responder.respond(to: try await flow.begin(context), of: kind)
            },
            Endpoint(.get, kind.showPath, operation: .show(kind)) { context in
                try responder.respond(to: try await flow.show(context), of: kind)
            },
            Endpoint(.post, kind.path, operation: .submit(kind)) { context in
                let outcome = try await submit(context)
                if outcome.completion.isComplete {
                    lifecycle.countCompletion(of: kind, by: outcome.completion.method)
                }
                return try responder.respond(to: outcome, of: kind)
            },
        ]
    }

    /// Admits a submission, reads and parses its body, and performs it.
    ///
    /// The flow is looked up before the body is parsed, because its schema determines the types of form
    /// fields. An unreadable body, or a missing or invalid input, is reported in the flow's form.
    ///
    /// - Throws: ``ServerError`` with status 404 for a disabled method, or 413 for a body that is too large;
    ///   also the errors of the flow.
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

    /// Stores the form of a rejected submission with the flow, and returns it as the outcome.
    private func refuse(_ step: SelfService.Step, with form: Form) async throws -> FlowOutcome {
        try await lifecycle.refuse(step.flow, with: form, at: step.context.now, of: step.identity)
    }
}
