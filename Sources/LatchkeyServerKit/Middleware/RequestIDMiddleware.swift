package import LatchkeyModel
package import LatchkeyWire

/// A middleware that assigns each request an ID, which is returned in the response and added to log lines and
/// events.
///
/// An ID in a request is used only if a trusted proxy sent it. Other clients could use the ID to write text
/// of their choice into the log, or to make their requests look like another client's.
package struct RequestIDMiddleware: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: [AddressRange]

    /// A random prefix that distinguishes the IDs of different servers and of different runs of one server.
    private let prefix: String
    private let last = Counter()

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - handler: The next responder, which runs with ``RequestID/current`` set.
    ///   - proxies: The addresses and ranges of trusted proxies, whose ids are used.
    ///   - random: The source of randomness for the prefix of ids.
    package init(_ handler: any HTTPHandler, trusting proxies: [String], random: some RandomSource) {
        self.handler = handler
        trusted = proxies.compactMap { AddressRange($0) }
        prefix = random.bytes(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "-"
    }

    /// Calls the next responder with ``RequestID/current`` set, and adds `X-Request-Id` to the response.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        let id = given(to: request, by: peer) ?? prefix + String(last.next, radix: 16)
        var response = await RequestID.$current.withValue(id) {
            await handler.respond(to: request, from: peer)
        }
        response.headers.fields.append(HTTP.Headers.Field(name: RequestID.field, value: id))
        return response
    }

    /// Returns the ID in a request if it is well-formed and the peer is a trusted proxy.
    private func given(to request: HTTP.Request, by peer: PeerAddress) -> String? {
        guard
            !trusted.isEmpty, let id = request.headers[RequestID.field], RequestID.isWellFormed(id),
            trusted.contains(where: { $0.contains(peer.host) })
        else { return nil }
        return id
    }

    /// A counter whose value becomes part of the next request ID.
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
