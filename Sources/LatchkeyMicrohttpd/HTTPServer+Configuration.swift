#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPServer {
    /// The address, limits and timeouts of a server.
    package struct Configuration: Sendable {
        /// The address to listen on.
        ///
        /// The address can be an IPv4 or IPv6 address, or a host name.
        package var address: String

        /// The port to listen on, or 0 to use a free port.
        package var port: Int

        /// The number of threads that serve requests.
        package var threads = ProcessInfo.processInfo.activeProcessorCount

        /// The maximum number of open connections.
        ///
        /// Additional connections are closed immediately.
        ///
        /// Idle connections that wait for a request are included.
        package var maxConnections = 4096

        /// The maximum number of connections from one IPv4 address or IPv6 /64 network, or 0 for no limit.
        ///
        /// An IPv6 /48 network may have twice as many connections. Do not set a limit if the server is behind
        /// a reverse proxy.
        package var maxConnectionsPerAddress = 0

        /// The maximum size of a request line and its header fields, in bytes.
        package var headerLimit = 16 * 1024

        /// The maximum number of header fields in a request.
        package var headerCountLimit = 100

        /// The maximum size of a request body, in bytes.
        ///
        /// Larger bodies are rejected before the handler is called.
        package var bodyLimit = 64 * 1024

        /// The maximum time until the first request on a connection starts, and the maximum time for
        /// receiving the header fields of a request.
        package var headerTimeout = Duration.seconds(10)

        /// The time limit for receiving a request body and for sending a response to the client.
        package var bodyTimeout = Duration.seconds(20)

        /// The maximum time between the end of a request and the end of the next request line.
        package var idleTimeout = Duration.seconds(60)

        /// How long to wait for current requests to finish when the server stops.
        package var drainTimeout = Duration.seconds(10)

        /// Whether the server closes slow connections every second.
        ///
        /// Tests that use their own clock call ``Daemon/sweep(now:)`` instead.
        var sweepsByItself = true

        /// Creates a configuration with default limits.
        package init(address: String = "127.0.0.1", port: Int = 0) {
            self.address = address
            self.port = port
        }

        /// Returns the time limit for a phase, or `nil` while the handler is running or producing a body.
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
