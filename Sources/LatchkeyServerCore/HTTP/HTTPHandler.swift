package import LatchkeyWire

/// The seam between an HTTP server and what answers: one request in, one response out.
///
/// Called on the HTTP server's own threads, many at a time; the same handler is reachable in process, without sockets.
package protocol HTTPHandler: Sendable {
    /// Answers a request; never throws, for every outcome is a response.
    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse
}
