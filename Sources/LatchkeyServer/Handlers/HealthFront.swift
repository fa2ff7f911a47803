import LatchkeyServerCore
import LatchkeyWire

/// Answers the health routes beside another handler.
struct HealthFront: HTTPHandler {
    private let health: any HTTPHandler
    private let handler: any HTTPHandler

    init(health: any HTTPHandler, before handler: any HTTPHandler) {
        self.health = health
        self.handler = handler
    }

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        let isHealth = request.path == Route.alive || request.path == Route.ready
        return await (isHealth ? health : handler).respond(to: request, from: peer)
    }
}
