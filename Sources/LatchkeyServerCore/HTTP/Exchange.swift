package import LatchkeyModel
package import LatchkeyWire

/// One request on its way through the server, with what every handler asks about it.
package struct Exchange: Sendable {
    /// The request, its path still with the base path.
    package let request: HTTPRequest

    /// Who asks.
    package let peer: PeerAddress

    /// When the request arrived; a handler reads the clock again only after it has waited.
    package let now: Timestamp

    /// The parts of the path that stand for parameters, percent-encoded, in their order.
    package let parameters: [String]

    /// The query's items.
    package let query: QueryItems

    package init(
        _ request: HTTPRequest,
        from peer: PeerAddress,
        at now: Timestamp,
        parameters: [String] = []
    ) {
        self.request = request
        self.peer = peer
        self.now = now
        self.parameters = parameters
        query = QueryItems(request.query)
    }

    /// The first part of the path that stands for a parameter, percent-encoded; empty on routes without one.
    package var parameter: String { parameters.first ?? "" }

    /// The session token that came with the request: `X-Session-Token`, else `Authorization: Bearer`.
    ///
    /// Cookies carry no sessions here.
    package var sessionToken: Secret? {
        if let token = request.headers["X-Session-Token"], !token.isEmpty { return Secret(token) }
        guard let authorization = request.headers["Authorization"] else { return nil }
        let scheme = authorization.prefix(7)
        guard String(scheme).equalsIgnoringASCIICase("Bearer ") else { return nil }
        let token = authorization.dropFirst(7)
        return token.isEmpty ? nil : Secret(String(token))
    }

    /// The client's name for the request, when it is a token that can be written anywhere.
    var requestID: String? {
        guard let id = request.headers["X-Request-ID"], (1...128).contains(id.utf8.count) else { return nil }
        return id.utf8.allSatisfy(Self.isTokenByte) ? id : nil
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }
}
