import LatchkeyWire

/// The identity server's self-service flows, for apps that display the server's forms themselves.
///
/// A form can contain any field that the operator's identity schemas define. The client's more specific
/// functions, such as those for signing in with a code, use the same flows.
///
/// ```swift
/// var flow = try await latchkey.flows.begin(.login)
/// let answers = FlowSubmission(method: "password", ["identifier": "user@example.org", "password": "…"])
/// switch try await latchkey.flows.submit(answers, to: flow) {
/// case .continues(let next, _): flow = next  // show the form again, with its messages
/// case .signedIn(let session, _): print(session.identity.id)
/// default: break
/// }
/// ```
public struct Flows: Sendable {
    let engine: FlowEngine

    /// Creates the entry point for self-service flows.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// The identity server's host, such as `id.example.com`, followed by the port unless it is the default
    /// port.
    ///
    /// Show the host next to forms, so that users see who asks for their password.
    public var serverHost: String { engine.api.server.authority }

    /// The user's preferred languages, in order of preference, as the client was configured or as they were
    /// read from the environment.
    ///
    /// The list is empty if the server chooses the language.
    public var languages: [String] { engine.api.headers.languages.tags }

    /// Begins a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow. A settings flow requires a session.
    ///   - schema: The identity schema for a registration, or `nil` for the server's default.
    ///   - reauthenticating: For logins, whether to ask the user of the current session to authenticate
    ///     again. The server may require this before users can change their credentials.
    /// - Returns: The new flow.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/signedOut`` if a session is required but
    ///   no user is logged in, or ``LatchkeyError/Code/flowDisabled`` if the operator has disabled this kind
    ///   of flow.
    @concurrent public func begin(
        _ kind: Flow.Kind,
        schema: String? = nil,
        reauthenticating: Bool = false
    ) async throws(LatchkeyError) -> Flow {
        try await engine.settled { engine async throws(LatchkeyError) in
            try await engine.begin(kind, schema: schema, reauthenticating: reauthenticating)
        }
    }

    /// Fetches a flow.
    ///
    /// This is useful after the app has been restarted.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - id: The flow's id.
    /// - Returns: The flow, including the messages from the last submission.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/flowExpired`` if the flow has expired,
    ///   or ``LatchkeyError/Code/flowUnknown`` if the server doesn't recognize it.
    @concurrent public func flow(_ kind: Flow.Kind, id: String) async throws(LatchkeyError) -> Flow {
        try await engine.settled { engine async throws(LatchkeyError) in
            try await engine.flow(kind, id: id)
        }
    }

    /// Submits the user's answers to a flow.
    ///
    /// Answers are always sent to the client's server. The submission URL in the form is ignored. If the
    /// server creates a session, it is stored on this device before this method returns, and it replaces the
    /// current one. If several logins run at the same time, only the most recent one can succeed. All logins
    /// in progress are cancelled when the user signs out.
    ///
    /// - Parameters:
    ///   - answers: The user's answers.
    ///   - flow: The most recently received version of the flow.
    /// - Returns: The outcome of the submission. If the server rejects the user's input, no error is thrown.
    ///   Instead, the outcome is ``FlowOutcome/continues(_:next:)``, and the messages in the flow explain
    ///   what to correct.
    /// - Throws: ``LatchkeyError``. An existing session is kept unless the server responds that it has ended.
    @concurrent public func submit(
        _ answers: FlowSubmission,
        to flow: Flow
    ) async throws(LatchkeyError) -> FlowOutcome {
        try await engine.settled { engine async throws(LatchkeyError) in
            try await engine.submit(answers, to: flow)
        }
    }
}

extension FlowEngine {
    /// Runs an operation.
    ///
    /// If an error is thrown, its `isStillSignedIn` property is updated to reflect the current state.
    func settled<Value: Sendable>(
        _ step: (FlowEngine) async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        do throws(LatchkeyError) {
            return try await step(self)
        } catch {
            throw keeper.settled(error)
        }
    }
}

extension SessionKeeper {
    /// Returns a copy of the error with `isStillSignedIn` set to reflect the current state.
    package func settled(_ error: LatchkeyError) -> LatchkeyError {
        var error = error
        error.isStillSignedIn = held != nil
        return error
    }
}
