import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// Lets through who shows the operator's token; health is for everybody who can reach the listener.
struct OperatorGuard: HTTPHandler {
    private let handler: any HTTPHandler
    private let token: Secret

    init(_ handler: any HTTPHandler, token: Secret) {
        self.handler = handler
        self.token = token
    }

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        guard isOpen(request) || isRight(request.headers["Authorization"]) else {
            var response = ServerError(401, reason: "This needs the operator's token.").response(echoing: nil)
            response.headers["WWW-Authenticate"] = "Bearer"
            return response
        }
        return await handler.respond(to: request, from: peer)
    }

    private func isOpen(_ request: HTTPRequest) -> Bool {
        request.path == Route.alive || request.path == Route.ready
    }

    private func isRight(_ authorization: String?) -> Bool {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return false }
        return ConstantTime.equal(Array(authorization.utf8.dropFirst(7)), Array(token.exposed.utf8))
    }
}
