import LatchkeyCore
public import LatchkeyWire

/// A request with its outcome, as the client saw them.
///
/// Passwords, codes and tokens are in plain text.
public struct NetworkExchange: Sendable {
    /// The request that the client sent.
    public let request: HTTP.Request

    /// The response, or the error that the client received instead.
    ///
    /// An injected fault is recorded in the same way as a real network error.
    public let outcome: Result<HTTP.Response, TransportError>

    /// The response, or `nil` if there was an error.
    public var response: HTTP.Response? {
        try? outcome.get()
    }
}
