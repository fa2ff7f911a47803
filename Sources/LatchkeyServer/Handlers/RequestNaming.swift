import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// Gives each request an id, which stands in its answer and in all that is written because of it.
///
/// What trusted proxies call a request, it is called here too. From anybody else an id would let them write into
/// the log what they like, and mix up requests of others.
struct RequestNaming: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: [AddressRange]

    /// Tells servers, and the starts of one, apart.
    private let prefix: String
    private let last = Counter()

    init(_ handler: any HTTPHandler, trusting proxies: [String], random: some RandomSource) {
        self.handler = handler
        trusted = proxies.compactMap { AddressRange($0) }
        prefix = random.bytes(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "-"
    }

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        let id = given(to: request, by: peer) ?? prefix + String(last.next, radix: 16)
        var response = await RequestID.$current.withValue(id) {
            await handler.respond(to: request, from: peer)
        }
        response.headers.fields.append(HTTPHeaders.Field(name: RequestID.field, value: id))
        return response
    }

    private func given(to request: HTTPRequest, by peer: PeerAddress) -> String? {
        guard
            !trusted.isEmpty, let id = request.headers[RequestID.field], RequestID.isWellFormed(id),
            trusted.contains(where: { $0.contains(peer.host) })
        else { return nil }
        return id
    }

    /// Counts the requests.
    private final class Counter: Sendable {
        private let value = Locked<UInt64>(0)

        var next: UInt64 {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }
}
