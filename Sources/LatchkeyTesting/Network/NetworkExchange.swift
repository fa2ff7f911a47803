import LatchkeyCore
public import LatchkeyWire

/// A request and its outcome, as seen by the client.
///
/// Passwords, codes and tokens are not redacted.
public struct NetworkExchange: Sendable {
    /// The request that the client sent.
    public let request: HTTP.Request

    /// The response, or the error that the client received instead.
    ///
    /// Injected faults are recorded like real network errors.
    public let outcome: Result<HTTP.Response, TransportError>

    /// The response, or `nil` if there was an error.
    public var response: HTTP.Response? {
        try? outcome.get()
    }
}
