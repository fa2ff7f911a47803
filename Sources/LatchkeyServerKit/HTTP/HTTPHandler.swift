package import LatchkeyWire

/// A request handler that works with any HTTP server.
///
/// The HTTP server may call the handler concurrently from its own threads. Code in the same process can also
/// call the handler directly, without a socket.
package protocol HTTPHandler: Sendable {
    /// Returns the response to a request. An error is also returned as a response.
    ///
    /// The response to a `HEAD` request has the same body as the response to `GET`. The HTTP server sends the
    /// length of that body but not the body itself, and never starts a stream.
    ///
    /// - Parameters:
    ///   - request: The request, including its complete body.
    ///   - peer: The address of the client. This is the address of the connection unless a middleware has
    ///     replaced it.
    /// - Returns: The response, either with its complete body or with a stream that produces the body.
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response
}
