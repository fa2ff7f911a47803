package import LatchkeyWire

/// A request handler, independent of the HTTP server that it runs in.
///
/// The HTTP server calls it concurrently from its own threads. The same handler can be called in process,
/// without sockets.
package protocol HTTPHandler: Sendable {
    /// Returns the response to a request; errors become responses, too.
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response
}
