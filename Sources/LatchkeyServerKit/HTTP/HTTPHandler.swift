package import LatchkeyWire

/// A request handler, independent of the HTTP server that it runs in.
///
/// The HTTP server calls it concurrently from its own threads. The same handler can be called in process,
/// without sockets.
package protocol HTTPHandler: Sendable {
    /// Returns the response to a request; errors become responses, too.
    ///
    /// - Parameters:
    ///   - request: The request with its complete body.
    ///   - peer: The address of the connection, or the one that a middleware has determined.
    /// - Returns: The response with its complete body, or with a stream that produces it.
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response
}
