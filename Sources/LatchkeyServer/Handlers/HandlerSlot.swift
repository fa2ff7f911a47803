import LatchkeyModel
package import LatchkeyServerCore
package import LatchkeyWire

/// A handler that stands for another one which comes later and goes earlier; without it, the answer is 503.
package final class HandlerSlot: HTTPHandler {
    private let handler = Locked<(any HTTPHandler)?>(nil)

    package init() {}

    /// Puts a handler in place; nothing to take it away.
    package func fill(_ handler: (any HTTPHandler)?) {
        self.handler.withLock { $0 = handler }
    }

    package func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        guard let handler = handler.withLock({ $0 }) else {
            return ServerError.overloaded().response(echoing: nil)
        }
        return await handler.respond(to: request, from: peer)
    }
}
