/// The self-service flows of the identity server, for apps that render the server's forms themselves.
///
/// A form may contain any fields that the operator's identity schemas define. The typed functions of the client
/// are conveniences over the same flows.
///
/// ```swift
/// var flow = try await latchkey.flows.begin(.login)
/// let answers = FlowAnswers(method: "password", ["identifier": "user@example.org", "password": "…"])
/// switch try await latchkey.flows.submit(answers, to: flow) {
/// case .continues(let next, _): flow = next  // show the form again, with its messages
/// case .signedIn(let session, _): print(session.identity.id)
/// default: break
/// }
/// ```
public struct Flows: Sendable {
    let engine: FlowEngine

    /// Creates the flows of an engine.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    /// Begins a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow. Settings require a session.
    ///   - schema: The identity schema of a registration; `nil` for the server's default.
    ///   - reauthenticating: Whether a login re-authenticates the user of the current session, which a change
    ///     of credentials may require.
    /// - Returns: The flow.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/signedOut`` if a session is required and no user is
    ///   logged in, ``LatchkeyError/Code/flowDisabled`` if the operator has disabled the flow.
    @concurrent public func begin(
        _ kind: Flow.Kind,
        schema: String? = nil,
        reauthenticating: Bool = false
    ) async throws(LatchkeyError) -> Flow {
        try await engine.settled { engine async throws(LatchkeyError) in
            try await engine.begin(kind, schema: schema, reauthenticating: reauthenticating)
        }
    }

    /// Reads a flow, for instance after a restart of the app.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - id: The id of the flow.
    /// - Returns: The flow, with the messages about the last submission.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/flowExpired``, or ``LatchkeyError/Code/flowUnknown``.
    @concurrent public func flow(_ kind: Flow.Kind, id: String) async throws(LatchkeyError) -> Flow {
        try await engine.settled { engine async throws(LatchkeyError) in
            try await engine.flow(kind, id: id)
        }
    }

    /// Submits the user's answers to a flow.
    ///
    /// The answers are sent to the client's server, whatever address the form names. A session that the server
    /// opens is stored on this device before the method returns, and replaces the current one. Of several
    /// concurrent logins, only the newest can succeed; a sign-out cancels them all.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - flow: The flow, as it was last received.
    /// - Returns: The outcome. Rejected input is an outcome, not an error: the flow continues, and its messages
    ///   state the reasons.
    /// - Throws: ``LatchkeyError``; in this case, an existing session is unchanged unless the server responds
    ///   that it has ended.
    @concurrent public func submit(
        _ answers: FlowAnswers,
        to flow: Flow
    ) async throws(LatchkeyError) -> FlowOutcome {
        try await engine.settled { engine async throws(LatchkeyError) in
            try await engine.submit(answers, to: flow)
        }
    }
}

extension FlowEngine {
    /// Runs a step; if it fails, sets `sessionHolds` of its error according to the current state.
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
