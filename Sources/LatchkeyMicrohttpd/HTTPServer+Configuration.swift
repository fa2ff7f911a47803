#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPServer {
    /// The address, limits and timeouts of a server.
    package struct Configuration: Sendable {
        /// The address to listen on, which is an IPv4 or IPv6 address, or a host name.
        package var address: String

        /// The port to listen on; 0 selects a free port.
        package var port: Int

        /// The number of threads that serve requests.
        package var threads = ProcessInfo.processInfo.activeProcessorCount

        /// The maximum number of open connections, beyond which new connections are closed immediately.
        ///
        /// Idle connections that wait for a request are also counted.
        package var maxConnections = 4096

        /// The maximum number of connections from one IPv4 address or IPv6 /64; 0 for no limit.
        ///
        /// An IPv6 /48 may have twice as many connections. Set no limit for a server behind a reverse proxy.
        package var maxConnectionsPerAddress = 0

        /// The maximum size of a request's first line and header fields, in bytes.
        package var headerLimit = 16 * 1024

        /// The maximum number of header fields.
        package var headerCountLimit = 100

        /// The maximum size of a request's body, in bytes.
        ///
        /// A larger body is rejected before the handler is called.
        package var bodyLimit = 64 * 1024

        /// The time limit for the first request to begin, and for the header fields of any request to arrive
        /// once it has begun.
        package var headerTimeout = Duration.seconds(10)

        /// The time limit for a body to arrive, and for a response to be received.
        package var bodyTimeout = Duration.seconds(20)

        /// The time limit from the end of one request to the end of the next request's first line.
        package var idleTimeout = Duration.seconds(60)

        /// The time limit for current requests to finish when the server stops.
        package var drainTimeout = Duration.seconds(10)

        /// Whether the server closes slow connections every second.
        ///
        /// Tests with their own clock call ``Daemon/sweep(now:)`` instead.
        var sweepsByItself = true

        /// Creates a configuration with default limits.
        package init(address: String = "127.0.0.1", port: Int = 0) {
            self.address = address
            self.port = port
        }

        /// Returns the time limit for a phase; `nil` while the handler runs or produces a body.
        func limit(of phase: ConnectionPhase) -> Duration? {
            switch phase {
            case .fresh, .head: headerTimeout
            case .body, .answering: bodyTimeout
            case .idle: idleTimeout
            case .handling, .producing: nil
            }
        }
    }
}
