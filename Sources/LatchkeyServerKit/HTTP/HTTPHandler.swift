package import LatchkeyWire

/// A request handler that does not depend on a particular HTTP server.
///
/// The HTTP server calls the handler concurrently from its own threads. Code in the same process can also
/// call it directly, without sockets.
package protocol HTTPHandler: Sendable {
    /// Returns the response to a request, and also returns errors as responses.
    ///
    /// - Parameters:
    ///   - request: The request with its complete body.
    ///   - peer: The address of the connection, or the client address that a middleware has determined.
    /// - Returns: The response with its complete body, or with a stream that produces the body.
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response
}
