public import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

/// A terminal dialog that guides the user through a flow, whatever its form asks for.
///
/// ```swift
/// let dialog = FlowDialog(terminal: terminal, flows: latchkey.flows, languages: ["sv"])
/// if case .signedIn(let session, _)? = try await dialog.run(.login) { … }
/// ```
///
/// Passwords are not shown while the user types. At all other prompts, the user can type `/back`, `/cancel`
/// and, after a code was sent, `/resend`. To enter a value that starts with a slash, the user types the slash
/// twice. Control-D also goes back, and Control-C cancels. After a network error, the dialog shows the error
/// and asks again.
public struct FlowDialog: Sendable {
    private let terminal: any Terminal
    private let flows: any FlowProvider
    private let texts: UITexts
    private let prompter: FormPrompter

    /// Creates a dialog.
    ///
    /// - Parameters:
    ///   - terminal: The terminal to use.
    ///   - flows: Starts and submits the flows.
    ///   - languages: The user's languages, most preferred first. These languages are used for texts that the
    ///     server does not provide. If this is `nil`, the languages of `flows` are used.
    public init(terminal: any Terminal, flows: any FlowProvider, languages: [String]? = nil) {
        self.terminal = terminal
        self.flows = flows
        texts = .texts(in: UILanguage(preferring: languages ?? flows.languages))
        prompter = FormPrompter(terminal: terminal, texts: texts)
    }

    /// Starts a flow and guides the user through it.
    ///
    /// After a recovery, the user is asked for a new password. After a registration or a change of address,
    /// the user is asked for the code that was sent to the address, and can postpone this with `/cancel`.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow to start.
    ///   - schema: The identity schema for a registration, or `nil` for the server's default.
    ///   - reauthenticating: Whether a login re-authenticates the current session's user.
    /// - Returns: The outcome, or `nil` if the user cancelled the dialog.
    /// - Throws: ``LatchkeyError`` if there is an error that the user cannot correct.
    @concurrent public func run(
        _ kind: Flow.Kind,
        schema: String? = nil,
        reauthenticating: Bool = false
    ) async throws(LatchkeyError) -> FlowOutcome? {
        let flow = try await progressing { () async throws(LatchkeyError) in
            try await flows.begin(kind, schema: schema, reauthenticating: reauthenticating)
        }
        return try await run(flow, schema: schema)
    }

    /// Guides the user through a flow that has already been started.
    ///
    /// - Parameters:
    ///   - flow: The flow to continue.
    ///   - schema: The identity schema that is used if a registration has to be started again, or `nil` for
    ///     the server's default.
    ///   - preferred: The method to offer first.
    /// - Returns: The outcome, or `nil` if the user cancelled the dialog.
    /// - Throws: ``LatchkeyError`` if there is an error that the user cannot correct.
    @concurrent public func run(
        _ flow: Flow,
        schema: String? = nil,
        preferring preferred: String? = nil
    ) async throws(LatchkeyError) -> FlowOutcome? {
        var flow = flow
        var known: [String: JSONValue] = [:]
        terminal.write("")
        terminal.write(texts.heading(texts.title(of: flow), of: flows.serverHost))
        while true {
            prompter.writeMessages(of: flow)
            let reply = await prompter.ask(for: flow, known: known, preferring: preferred)
            guard !Task.isCancelled else { throw .cancelled }
            switch reply {
            case .cancelled, .use: return nil
            case .back:
                guard flow.state == .codeSent, flow.kind != .verification else { return nil }
                flow = try await restarted(flow, schema: schema)
            case .answers(let answers):
                known.merge(answers.visibleValues(in: flow)) { _, new in new }
                switch try await submit(answers, to: flow, schema: schema) {
                case .again(let next): flow = next
                case .ended(let outcome): return outcome
                }
            }
        }
    }

    /// The dialog's next action after a submission.
    private enum Step {
        case again(Flow)
        case ended(FlowOutcome?)
    }

    /// Submits the user's input and acts on the outcome.
    private func submit(
        _ answers: FlowSubmission,
        to flow: Flow,
        schema: String?
    ) async throws(LatchkeyError) -> Step {
        let outcome: FlowOutcome
        do throws(LatchkeyError) {
            outcome = try await progressing { () async throws(LatchkeyError) in
                try await flows.submit(answers, to: flow)
            }
        } catch {
            if error.code == .flowExpired || error.code == .flowUnknown {
                terminal.write(texts.expired)
                return .again(try await restarted(flow, schema: schema))
            }
            guard error.isTemporary else { throw error }
            terminal.write("! " + error.message.displayable)
            return .again(flow)
        }
        switch outcome {
        case .continues(let next, _): return .again(next)
        case .replaced(let id):
            terminal.write(texts.expired)
            return .again(
                try await progressing { () async throws(LatchkeyError) in
                    try await flows.flow(flow.kind, id: id)
                }
            )
        case .reauthenticationRequired:
            guard case .signedIn? = try await run(.login, reauthenticating: true) else { return .again(flow) }
            return try await submit(answers, to: flow, schema: schema)
        case .addressVerificationRequired(let next):
            try await follow(next, after: flow.kind)
            return .again(try await restarted(flow, schema: schema))
        case .browserRequired(let address):
            terminal.write("\(texts.browser) \(address.displayable)")
            return .ended(outcome)
        case .completed(let completed, let next):
            prompter.writeMessages(of: completed)
            try await follow(next, after: flow.kind)
            return .ended(outcome)
        case .signedIn(_, let next), .registered(let next):
            try await follow(next, after: flow.kind)
            return .ended(outcome)
        }
    }

    /// Guides the user through the flows that the server suggests next.
    ///
    /// The user can cancel each flow.
    private func follow(_ next: [FlowContinuation], after kind: Flow.Kind) async throws(LatchkeyError) {
        for step in next {
            switch step {
            case .verification(let id, let address) where kind != .verification:
                terminal.write(texts.verification(address.displayable))
                let flow = try await progressing { () async throws(LatchkeyError) in
                    try await flows.flow(.verification, id: id)
                }
                _ = try await run(flow)
            case .settings(let id) where kind == .recovery:
                let flow = try await progressing { () async throws(LatchkeyError) in
                    try await flows.flow(.settings, id: id)
                }
                _ = try await run(flow, preferring: "password")
            case .verification, .settings, .recovery: continue
            }
        }
    }

    /// Starts another flow of the same kind.
    private func restarted(_ flow: Flow, schema: String?) async throws(LatchkeyError) -> Flow {
        try await progressing { () async throws(LatchkeyError) in
            try await flows.begin(
                flow.kind,
                schema: schema ?? flow.identitySchema,
                reauthenticating: flow.isReauthentication
            )
        }
    }

    /// Shows a progress message during a request.
    private func progressing<Value: Sendable>(
        _ request: () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        terminal.showProgress(texts.sending)
        defer { terminal.showProgress(nil) }
        return try await request()
    }
}

extension LatchkeyError {
    /// Whether the user can try again, because the same input may be accepted later.
    fileprivate var isTemporary: Bool {
        switch code {
        case .unreachable, .timedOut, .serverFailed, .tooManyRequests, .deliveryFailed: true
        default: false
        }
    }
}
