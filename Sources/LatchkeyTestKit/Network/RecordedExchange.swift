public import LatchkeyCore
public import LatchkeyWire

/// One request and what came of it, as the client saw it; holds passwords, codes and tokens as they were sent.
public struct RecordedExchange: Sendable {
    /// What was sent.
    public let request: HTTPRequest

    /// What came back, or why nothing did.
    public let outcome: Result<HTTPResponse, TransportError>

    /// The answer; nothing when none came.
    public var response: HTTPResponse? {
        try? outcome.get()
    }
}
