import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Does not stream anything until a gate opens, even if its task is cancelled.
final class Stubborn: HTTPHandler {
    let gate = Gate()
    private let isLongLived: Bool
    private let result = Locked("")

    init(isLongLived: Bool = false) {
        self.isLongLived = isLongLived
    }

    var outcome: String { result.withLock { $0 } }

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        var response = HTTP.Response(200)
        response.stream = HTTP.BodyStream(isLongLived: isLongLived) { write in
            _ = await self.gate.respond(to: request, from: peer)
            do {
                try await write([0x78])
                self.result.withLock { $0 = "written" }
            } catch {
                self.result.withLock { $0 = "\(error)" }
            }
        }
        return response
    }
}
