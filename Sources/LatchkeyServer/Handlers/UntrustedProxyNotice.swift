import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// Warns when a peer that is not trusted sends a header field of proxies, at most once an hour.
///
/// Behind a proxy that is not listed in `trusted_proxies` all clients have the proxy's address and share its limits.
package struct UntrustedProxyNotice: Sendable {
    private static let interval: Duration = .seconds(3600)

    private let log: Log
    private let time: any TimeSource
    private let next = Locked(Timestamp(seconds: 0))

    init(log: Log, time: any TimeSource) {
        self.log = log
        self.time = time
    }

    /// Logs a warning if a request has such a field.
    func note(_ request: HTTPRequest, from peer: PeerAddress) {
        let fields = ServerConfiguration.ProxyHeader.allCases
        guard let field = fields.first(where: { request.headers[$0.name] != nil }) else { return }
        let now = time.now
        let isDue = next.withLock { next in
            guard now >= next else { return false }
            next = now + Self.interval
            return true
        }
        guard isDue else { return }
        log.write(
            .warning,
            "proxy.untrusted",
            Log.Field("peer", peer),
            Log.Field("header", field),
            Log.Field(
                "advice",
                """
                The header is ignored, and limits count the peer's address. If the peer is a reverse proxy of yours, \
                add it to trusted_proxies.
                """ as StaticString
            )
        )
    }
}
