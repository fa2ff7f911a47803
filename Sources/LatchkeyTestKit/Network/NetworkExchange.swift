import LatchkeyCore
public import LatchkeyWire

/// A request and its outcome as the client saw them, with passwords, codes and tokens in plain text.
public struct NetworkExchange: Sendable {
    /// The request that the client sent.
    public let request: HTTP.Request

    /// The response, or the error that the client received instead.
    ///
    /// An injected fault is recorded in the same way as an error of a real network.
    public let outcome: Result<HTTP.Response, TransportError>

    /// The response; `nil` if there was an error.
    public var response: HTTP.Response? {
        try? outcome.get()
    }
}
