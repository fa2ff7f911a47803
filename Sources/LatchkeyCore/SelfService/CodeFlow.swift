import LatchkeyModel
import LatchkeyWire

/// A flow in which the user enters a code.
///
/// Copies share the state of the current flow, because requesting a new code can start a new flow.
struct CodeFlow: Sendable {
    /// The flow that the most recent code belongs to.
    private struct Current: Sendable {
        var kind: Flow.Kind
        var id: String
        /// The flow's form, or `nil` if it hasn't been fetched yet.
        var form: Flow?
    }

    let engine: FlowEngine
    /// The address that the code was sent to, if it is known.
    private let address: String?
    /// Answers that are included in every submission, such as the traits of a registration.
    private let repeated: [String: JSONValue]
    private let current: Locked<Current>

    /// Creates a value for a flow that was just received.
    init(
        _ flow: Flow,
        engine: FlowEngine,
        address: ContactAddress?,
        repeating answers: [String: JSONValue] = [:]
    ) {
        self.engine = engine
        self.address = address?.value
        repeated = answers
        current = Locked(Current(kind: flow.kind, id: flow.id, form: flow))
    }

    /// Restores a value, whose form is fetched when it is needed.
    ///
    /// - Parameters:
    ///   - token: The token of the step.
    ///   - kinds: The kinds of flow that the step can belong to. Instead of others, the first one is used.
    ///   - engine: Runs the flow.
    init(_ token: StepToken, kinds: Flow.Kind..., engine: FlowEngine) {
        self.engine = engine
        address = token.address
        repeated = [:]
        let kind = kinds.contains(token.kind) ? token.kind : kinds.first ?? token.kind
        current = Locked(Current(kind: kind, id: token.flow, form: nil))
    }

    /// The token for the flow that the most recent code belongs to.
    var token: StepToken {
        current.withLock { StepToken(flow: $0.id, kind: $0.kind, address: address) }
    }

    /// Returns the step for entering the code.
    ///
    /// - Parameter finish: Returns the result of the step after a code was submitted.
    /// - Returns: The step.
    func step<Next>(
        _ finish: @escaping @Sendable (FlowOutcome, CodeFlow) async throws(LatchkeyError) -> Next
    ) -> CodeStep<Next> {
        CodeStep(
            keeper: engine.keeper,
            token: { token },
            submit: { code throws(LatchkeyError) in try await finish(try await submit(code), self) },
            sendAgain: { () throws(LatchkeyError) in try await resend() }
        )
    }

    /// Switches to another flow, whose code is expected from then on.
    func proceed(with flow: Flow) {
        current.withLock { $0 = Current(kind: flow.kind, id: flow.id, form: flow) }
    }

    /// Submits a code.
    ///
    /// - Parameter code: The six-digit code, as entered by the user.
    /// - Returns: The outcome of the submission.
    /// - Throws: ``LatchkeyError``. The error doesn't contain the code.
    func submit(_ code: String) async throws(LatchkeyError) -> FlowOutcome {
        guard let digits = OneTimeCode(code) else {
            throw .invalid("code", message: "The code must have six digits.", code: .codeInvalid)
        }
        let form = try await form()
        var answers = FlowSubmission(method: "code", form.kind == .login ? [:] : repeated)
        answers["code"] = .string(digits.exposed)
        return try await engine.submit(answers, to: form)
    }

    /// Requests a new code.
    ///
    /// The previous code becomes invalid.
    func resend() async throws(LatchkeyError) {
        let form = try await form()
        let button = form.nodes.first { node in
            guard let input = node.input, input.kind == .submit else { return false }
            return input.name == "resend" || input.name == "email"
        }
        guard let button else {
            throw LatchkeyError(.flowExpired, message: "This flow can no longer send another code.")
        }
        let answers = FlowSubmission(pressing: button, form.kind == .registration ? repeated : [:])
        proceed(with: try await engine.submit(answers, to: form).codeSent())
    }

    /// Returns the form.
    ///
    /// If the step was restored, the form is fetched from the server first.
    private func form() async throws(LatchkeyError) -> Flow {
        let known = current.withLock { $0 }
        if let form = known.form { return form }
        let form = try await engine.flow(known.kind, id: known.id)
        current.withLock { if $0.id == form.id { $0.form = form } }
        return form
    }
}

extension Flow {
    /// Checks that the form offers a method.
    ///
    /// Call this before sending the user's input.
    ///
    /// The first form of a two-step registration only offers the `profile` method, but the server accepts the
    /// other methods as well.
    ///
    /// - Throws: ``LatchkeyError/Code/flowDisabled`` if the method isn't offered.
    func require(method: String) throws(LatchkeyError) {
        let isFirstStep = kind == .registration && methods == ["profile"]
        guard !methods.contains(method), !isFirstStep else { return }
        throw LatchkeyError(
            .flowDisabled,
            message: "The server does not offer the \"\(method)\" method for this flow."
        )
    }
}

extension FlowOutcome {
    /// Returns the flow in which the user enters the code.
    ///
    /// - Throws: The error reported by the form, or ``LatchkeyError/Code/invalidResponse`` if no code was sent.
    func codeSent() throws(LatchkeyError) -> Flow {
        guard case .continues(let flow, _) = self, flow.state == .codeSent, !flow.hasErrors else {
            throw error()
        }
        return flow
    }

    /// Returns the session that was created.
    ///
    /// - Throws: An error that explains why no session was created.
    func session() throws(LatchkeyError) -> UserSession {
        guard case .signedIn(let session, _) = self else { throw error() }
        return session
    }

    /// Returns the completed flow and the next steps.
    ///
    /// - Throws: An error that explains why the flow wasn't completed.
    func completed() throws(LatchkeyError) -> (flow: Flow, next: [FlowContinuation]) {
        guard case .completed(let flow, let next) = self else { throw error() }
        return (flow, next)
    }

    /// The error to throw if the caller expected a different outcome.
    func error() -> LatchkeyError {
        switch self {
        case .continues(let flow, _) where flow.hasErrors:
            LatchkeyError(refusal: ServerRefusal(flow))
        case .continues, .signedIn, .completed:
            LatchkeyError(
                .invalidResponse,
                message: "The server's response does not match this step of the flow."
            )
        case .registered:
            LatchkeyError(.accountCreated, message: "The account was created. Log in to finish the sign-up.")
        case .replaced(let flow):
            LatchkeyError(
                refusal: ServerRefusal(
                    status: 410,
                    id: ErrorID.flowReplaced.rawValue,
                    reason: "The flow has expired or was already completed. Start over.",
                    replacementFlow: flow
                )
            )
        case .reauthenticationRequired:
            LatchkeyError(
                .reauthenticationRequired,
                message: "This change requires a recent login. Authenticate again, then repeat the call."
            )
        case .addressVerificationRequired:
            LatchkeyError(
                .addressNotVerified,
                message: "An address of this account must be verified before logging in."
            )
        case .browserRequired:
            LatchkeyError(.refused, message: "The server requires a browser for this step.")
        }
    }
}

extension ServerRefusal {
    /// Creates a refusal from the errors shown in a form.
    init(_ flow: Flow) {
        var errors = flow.messages.filter { $0.severity == .error }
        var fields: [LatchkeyError.Field] = []
        for node in flow.nodes {
            for message in node.messages where message.severity == .error {
                errors.append(message)
                if let name = node.name {
                    fields.append(LatchkeyError.Field(name: name, message: message.text))
                }
            }
        }
        self.init(status: 400, messageIDs: errors.map(\.id), reason: errors.first?.text, fields: fields)
    }
}
