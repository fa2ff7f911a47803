import LatchkeyModel
import LatchkeyWire

/// The common part of all steps after a code was sent: submitting the code, and requesting another one.
///
/// Copies of a step share the current form, because a new code may be sent for another flow.
struct CodeStep: Sendable {
    /// The flow for which the code was sent.
    private struct Current: Sendable {
        var kind: Flow.Kind
        var id: String
        /// The form, or `nil` until it has been read from the server.
        var form: Flow?
    }

    let engine: FlowEngine
    /// The answers that every submission repeats, such as the traits of a registration.
    let repeated: [String: JSONValue]
    private let current: Locked<Current>

    /// Creates a step for a flow that was just received.
    init(_ flow: Flow, engine: FlowEngine, repeating answers: [String: JSONValue] = [:]) {
        self.engine = engine
        repeated = answers
        current = Locked(Current(kind: flow.kind, id: flow.id, form: flow))
    }

    /// Recreates a step from the id of its flow, whose form is read when it is needed.
    init(_ kind: Flow.Kind, id: String, engine: FlowEngine) {
        self.engine = engine
        repeated = [:]
        current = Locked(Current(kind: kind, id: id, form: nil))
    }

    /// The id of the flow for which the latest code was sent.
    var flow: String { current.withLock { $0.id } }

    /// The kind of flow for which the latest code was sent.
    var kind: Flow.Kind { current.withLock { $0.kind } }

    /// Continues with another form, whose code replaces the previous one.
    func proceed(with flow: Flow) {
        current.withLock { $0 = Current(kind: flow.kind, id: flow.id, form: flow) }
    }

    /// Submits a code.
    ///
    /// - Parameter code: The six digits as the user typed them.
    /// - Returns: The outcome.
    /// - Throws: ``LatchkeyError``, which does not contain the code.
    func submit(_ code: String) async throws(LatchkeyError) -> FlowOutcome {
        guard let digits = OneTimeCode(code) else {
            throw .invalid("code", message: "The code must have six digits.", code: .codeInvalid)
        }
        let form = try await form()
        var answers = FlowAnswers(method: "code", form.kind == .login ? [:] : repeated)
        answers["code"] = .string(digits.exposed)
        return try await engine.submit(answers, to: form)
    }

    /// Requests another code, which invalidates the previous one.
    func resend() async throws(LatchkeyError) {
        let form = try await form()
        let button = form.nodes.first { node in
            guard let input = node.input, input.kind == .submit else { return false }
            return input.name == "resend" || input.name == "email"
        }
        guard let button else {
            throw LatchkeyError(.flowExpired, message: "The flow no longer offers to send another code.")
        }
        let answers = FlowAnswers(pressing: button, form.kind == .registration ? repeated : [:])
        proceed(with: try await engine.submit(answers, to: form).codeSent())
    }

    /// Returns the form; reads it from the server if the step was recreated.
    private func form() async throws(LatchkeyError) -> Flow {
        let known = current.withLock { $0 }
        if let form = known.form { return form }
        let form = try await engine.flow(known.kind, id: known.id)
        current.withLock { if $0.id == form.id { $0.form = form } }
        return form
    }
}

extension Flow {
    /// Checks that the form offers a method, before the user's input is sent.
    ///
    /// The first form of a registration in two steps offers only the method `profile`; the server accepts the
    /// other methods nevertheless.
    ///
    /// - Throws: ``LatchkeyError/Code/flowDisabled``.
    func require(method: String) throws(LatchkeyError) {
        let isFirstStep = kind == .registration && methods == ["profile"]
        guard !methods.contains(method), !isFirstStep else { return }
        throw LatchkeyError(
            .flowDisabled,
            message: "The server does not offer the method \"\(method)\" here."
        )
    }
}

extension FlowOutcome {
    /// Returns the flow that waits for a code.
    ///
    /// - Throws: The error that the form reports, or ``LatchkeyError/Code/invalidAnswer`` if no code was sent.
    func codeSent() throws(LatchkeyError) -> Flow {
        guard case .continues(let flow, _) = self, flow.state == .codeSent, !flow.hasErrors else {
            throw error()
        }
        return flow
    }

    /// Returns the session that was opened.
    ///
    /// - Throws: The error that the form reports, or the error that this outcome stands for.
    func session() throws(LatchkeyError) -> UserSession {
        guard case .signedIn(let session, _) = self else { throw error() }
        return session
    }

    /// Returns the flow that was completed, with the next steps.
    ///
    /// - Throws: The error that the form reports, or the error that this outcome stands for.
    func completed() throws(LatchkeyError) -> (flow: Flow, next: [FlowContinuation]) {
        guard case .completed(let flow, let next) = self else { throw error() }
        return (flow, next)
    }

    /// The error to throw if this outcome is not the expected one.
    func error() -> LatchkeyError {
        switch self {
        case .continues(let flow, _) where flow.hasErrors:
            LatchkeyError(refusal: ServerRefusal(flow))
        case .continues, .signedIn, .completed:
            LatchkeyError(
                .invalidAnswer,
                message: "The server's response does not belong to this step of the flow."
            )
        case .registered:
            LatchkeyError(.accountCreated, message: "The account was created. Log in to finish the sign-up.")
        case .replaced(let flow):
            LatchkeyError(
                refusal: ServerRefusal(
                    status: 410,
                    id: ErrorID.flowReplaced.rawValue,
                    reason: "The flow has expired or was completed. Start again.",
                    replacementFlow: flow
                )
            )
        case .reauthenticationRequired:
            LatchkeyError(
                .reauthenticationRequired,
                message: "This change requires a recent login. Re-authenticate, then repeat the call."
            )
        case .addressVerificationRequired:
            LatchkeyError(
                .addressNotVerified,
                message: "An address of the account must be verified before a login."
            )
        case .browserRequired:
            LatchkeyError(.refused, message: "The server requires a browser for this step.")
        }
    }
}

extension ServerRefusal {
    /// Creates a refusal from the errors in a form.
    init(_ flow: Flow) {
        let errors = flow.messages.filter { $0.severity == .error }
        var ids = errors.map(\.id)
        var fields: [LatchkeyError.Field] = []
        for node in flow.nodes {
            for message in node.messages where message.severity == .error {
                ids.append(message.id)
                if let name = node.name {
                    fields.append(LatchkeyError.Field(name: name, message: message.text))
                }
            }
        }
        self.init(status: 400, messageIDs: ids, reason: errors.first?.text, fields: fields)
    }
}
