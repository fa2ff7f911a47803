package import LatchkeyModel
package import LatchkeyWire

/// A middleware that assigns an id to each request.
///
/// The id is returned in the response and added to log lines and events.
///
/// If a request already has an id, it is only used when a trusted proxy sent it. An id sent by any other
/// client is ignored because the client could use it to write arbitrary text into the log or to impersonate
/// another client's requests.
package struct RequestIDMiddleware: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: [AddressRange]

    /// A random prefix, so that ids don't repeat on different servers or when a server is restarted.
    private let prefix: String
    private let last = Counter()

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - handler: The next responder, which is called with ``RequestID/current`` set.
    ///   - proxies: The addresses and address ranges of trusted proxies. The ids of requests from these
    ///     proxies are kept.
    ///   - random: The source of randomness for the prefix of the ids.
    package init(_ handler: any HTTPHandler, trusting proxies: [String], random: some RandomSource) {
        self.handler = handler
        trusted = proxies.compactMap { AddressRange($0) }
        prefix = random.bytes(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "-"
    }

    /// Calls the next responder with ``RequestID/current`` set, then adds `X-Request-Id` to the response.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        let id = given(to: request, by: peer) ?? prefix + String(last.next, radix: 16)
        var response = await RequestID.$current.withValue(id) {
            await handler.respond(to: request, from: peer)
        }
        response.headers.fields.append(HTTP.Headers.Field(name: RequestID.field, value: id))
        return response
    }

    /// Returns the id that a request already has, provided that it is well-formed and was sent by a trusted
    /// proxy.
    private func given(to request: HTTP.Request, by peer: PeerAddress) -> String? {
        guard
            !trusted.isEmpty, let id = request.headers[RequestID.field], RequestID.isWellFormed(id),
            trusted.contains(where: { $0.contains(peer.address) })
        else { return nil }
        return id
    }

    /// A counter that provides the last part of each request id.
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
