public import LatchkeyCore

/// A source of flows and a recipient of the user's answers, such as ``LatchkeyCore/Flows``.
public protocol FlowProvider: Sendable {
    /// Begins a flow; see ``LatchkeyCore/Flows/begin(_:schema:reauthenticating:)``.
    func begin(
        _ kind: Flow.Kind,
        schema: String?,
        reauthenticating: Bool
    ) async throws(LatchkeyError) -> Flow

    /// Reads a flow; see ``LatchkeyCore/Flows/flow(_:id:)``.
    func flow(_ kind: Flow.Kind, id: String) async throws(LatchkeyError) -> Flow

    /// Submits answers; see ``LatchkeyCore/Flows/submit(_:to:)``.
    func submit(_ answers: FlowAnswers, to flow: Flow) async throws(LatchkeyError) -> FlowOutcome
}

extension Flows: FlowProvider {}
