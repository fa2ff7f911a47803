import LatchkeyServerCore
import LatchkeyWire

/// Takes the client's address from `X-Forwarded-For` when the connection comes from a proxy that is trusted.
///
/// Read from the right: each proxy adds whom it was called by, and the first that is no trusted one is the client.
/// What stands to the left of it is the client's own word.
struct ForwardedPeer: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: Set<String>

    init(_ handler: any HTTPHandler, trusting proxies: [String]) {
        self.handler = handler
        trusted = Set(proxies)
    }

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        await handler.respond(to: request, from: client(of: request, from: peer))
    }

    private func client(of request: HTTPRequest, from peer: PeerAddress) -> PeerAddress {
        var client = peer
        let hops = request.headers.all("X-Forwarded-For").flatMap { $0.split(separator: ",") }
        for hop in hops.reversed() {
            let host = hop.filter { $0 != " " && $0 != "\t" }
            guard trusted.contains(client.host), Self.isAddress(host) else { break }
            client = PeerAddress(host: host, port: 0)
        }
        return client
    }

    /// The letters of an IPv4 or IPv6 address; what else a header may hold must not become a name for limits.
    private static func isAddress(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                case UInt8(ascii: "."), UInt8(ascii: ":"): true
                default: false
                }
            }
    }
}
