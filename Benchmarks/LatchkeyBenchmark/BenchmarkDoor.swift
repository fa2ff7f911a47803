import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// Lets the load read the codes that were sent: a person would have them on their phone.
struct BenchmarkDoor: HTTPHandler {
    static let codes = "/bench/codes/"

    /// Keeps the last code for each address, and sends nothing.
    final class Outbox: MessageDelivery {
        private let codes = Locked<[String: String]>([:])

        func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
            codes.withLock { $0[message.recipient] = message.code?.exposed }
        }

        /// Takes the code out, so that it is read once.
        func take(_ address: String) -> String? {
            codes.withLock { $0.removeValue(forKey: address) }
        }
    }

    let handler: any HTTPHandler
    let outbox: Outbox

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        guard request.path.hasPrefix(Self.codes) else {
            return await handler.respond(to: request, from: peer)
        }
        guard let code = outbox.take(String(request.path.dropFirst(Self.codes.count))) else {
            return HTTPResponse(404)
        }
        return HTTPResponse(200, headers: [:], body: Array(code.utf8))
    }
}
