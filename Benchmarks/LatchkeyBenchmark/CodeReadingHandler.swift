import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A handler that lets the load generator read the codes that users would receive on their phones.
struct CodeReadingHandler: HTTPHandler {
    static let codes = "/bench/codes/"

    /// A message delivery that sends no messages and stores the latest code for each address.
    final class Outbox: MessageDelivery {
        private let codes = Locked<[String: String]>([:])

        func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
            codes.withLock { $0[message.recipient] = message.code?.exposed }
        }

        /// Removes and returns the code for an address.
        func removeCode(for address: String) -> String? {
            codes.withLock { $0.removeValue(forKey: address) }
        }
    }

    let handler: any HTTPHandler
    let outbox: Outbox

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard request.path.hasPrefix(Self.codes) else {
            return await handler.respond(to: request, from: peer)
        }
        guard let code = outbox.removeCode(for: String(request.path.dropFirst(Self.codes.count))) else {
            return HTTP.Response(404)
        }
        return HTTP.Response(200, headers: [:], body: Array(code.utf8))
    }
}
