import LatchkeyModel
package import LatchkeyWire

/// A handler that forwards requests to another handler, which can be replaced, and responds with 503 while
/// there is none.
///
/// With this handler, a listener can accept connections before the server is ready and after the server has
/// begun to stop.
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

    /// Calls the current handler, or responds with status 503 and `Retry-After` if there is none.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard let handler = handler.withLock({ $0 }) else {
            return ServerError.overloaded().response(echoing: nil)
        }
        return await handler.respond(to: request, from: peer)
    }
}
