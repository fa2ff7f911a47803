import LatchkeyModel
package import LatchkeyWire

/// A handler that forwards requests to another handler, which can be replaced at any time.
///
/// While no handler is set, requests are rejected with status 503.
///
/// This allows a listener to accept connections before the server is ready and while the server is shutting
/// down.
package final class ReplaceableHandler: HTTPHandler {
    private let handler = Locked<(any HTTPHandler)?>(nil)

    /// Creates a handler that responds with status 503 until ``fill(_:)`` is called.
    package init() {}

    /// Sets the handler that requests are forwarded to.
    ///
    /// Pass `nil` to remove the current handler.
    ///
    /// Requests that are already in progress are completed by the previous handler.
    package func fill(_ handler: (any HTTPHandler)?) {
        self.handler.withLock { $0 = handler }
    }

    /// Calls the current handler.
    ///
    /// If no handler has been set, the response has status 503 and a `Retry-After` header field.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard let handler = handler.withLock({ $0 }) else {
            return ServerError.overloaded().response(echoing: nil)
        }
        return await handler.respond(to: request, from: peer)
    }
}
