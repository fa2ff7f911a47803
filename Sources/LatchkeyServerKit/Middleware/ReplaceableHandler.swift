import LatchkeyModel
package import LatchkeyWire

/// A handler that forwards to a replaceable handler; without one, it responds with 503.
///
/// It lets a listener accept connections before the server is ready and after the server has begun to stop.
package final class ReplaceableHandler: HTTPHandler {
    private let handler = Locked<(any HTTPHandler)?>(nil)

    /// Creates the handler, which responds with 503 until ``fill(_:)`` is called.
    package init() {}

    /// Sets the handler to forward to; `nil` removes it.
    ///
    /// Requests in progress are completed by the previous handler.
    package func fill(_ handler: (any HTTPHandler)?) {
        self.handler.withLock { $0 = handler }
    }

    /// Calls the current handler; without one, the response has status 503 and `Retry-After`.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard let handler = handler.withLock({ $0 }) else {
            return ServerError.overloaded().response(echoing: nil)
        }
        return await handler.respond(to: request, from: peer)
    }
}
