package import LatchkeyModel
import LatchkeyWire

/// A warning that an untrusted peer has sent a forwarding header field.
///
/// The warning is logged at most once an hour.
///
/// If a proxy isn't listed in `trusted_proxies`, all clients behind it appear to have the proxy's address and
/// share its rate limits.
package struct UntrustedProxyNotice: Sendable {
    private static let interval: Duration = .seconds(3600)

    private let log: Log
    private let time: any TimeSource
    /// When the next warning may be logged, on the monotonic clock, or `nil` if none was logged yet.
    private let next = Locked<Duration?>(nil)

    /// Creates the warning.
    ///
    /// All requests of a listener must use the same instance.
    package init(log: Log, time: any TimeSource) {
        self.log = log
        self.time = time
    }

    /// Logs a warning if a request contains a forwarding field, unless a warning was already logged within
    /// the last hour.
    func note(_ request: HTTP.Request, from peer: PeerAddress) {
        let fields = ProxyHeader.allCases
        guard let field = fields.first(where: { request.headers[$0.name] != nil }) else { return }
        let now = time.uptime
        let isDue = next.withLock { next in
            guard next.map({ now >= $0 }) ?? true else { return false }
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
                The header is ignored, and rate limits use the peer's address. If the peer is your reverse proxy, \
                add it to trusted_proxies.
                """ as StaticString
            )
        )
    }
}
