public import LatchkeyCore

/// An object that starts flows and submits the user's input, such as ``LatchkeyCore/Flows``.
public protocol FlowProvider: Sendable {
    /// The identity server's host, which is shown in the headings of forms. See
    /// ``LatchkeyCore/Flows/serverHost``.
    var serverHost: String { get }

    /// The user's preferred languages, for texts that the server doesn't provide.
    ///
    /// See ``LatchkeyCore/Flows/languages``.
    ///
    /// The default implementation returns an empty list.
    var languages: [String] { get }

    /// Starts a flow. See ``LatchkeyCore/Flows/begin(_:schema:reauthenticating:)``.
    func begin(
        _ kind: Flow.Kind,
        schema: String?,
        reauthenticating: Bool
    ) async throws(LatchkeyError) -> Flow

    /// Fetches a flow. See ``LatchkeyCore/Flows/flow(_:id:)``.
    func flow(_ kind: Flow.Kind, id: String) async throws(LatchkeyError) -> Flow

    /// Submits the user's input. See ``LatchkeyCore/Flows/submit(_:to:)``.
    func submit(_ answers: FlowSubmission, to flow: Flow) async throws(LatchkeyError) -> FlowOutcome
}

extension FlowProvider {
    /// No preferred languages.
    public var languages: [String] { [] }
}

extension Flows: FlowProvider {}
