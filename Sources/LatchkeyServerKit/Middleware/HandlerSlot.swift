import LatchkeyModel
package import LatchkeyWire

/// A handler that forwards to a replaceable handler; without one, it responds with 503.
package final class HandlerSlot: HTTPHandler {
    private let handler = Locked<(any HTTPHandler)?>(nil)

    /// Creates an empty slot.
    package init() {}

    /// Sets the handler to forward to; `nil` removes it.
    package func fill(_ handler: (any HTTPHandler)?) {
        self.handler.withLock { $0 = handler }
    }

    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard let handler = handler.withLock({ $0 }) else {
            return ServerError.overloaded().response(echoing: nil)
        }
        return await handler.respond(to: request, from: peer)
    }
}
