#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPServer {
    /// Where to listen, and what a client may ask of the server.
    package struct Configuration: Sendable {
        /// An IPv4 or IPv6 address, or the name of one.
        package var address: String

        /// The port; 0 takes a free one.
        package var port: Int

        /// How many threads serve requests.
        package var threads = ProcessInfo.processInfo.activeProcessorCount

        /// How many connections may be open at a time; more are closed at once.
        package var maxConnections = 4096

        /// How many of them one IPv4 address or IPv6 /64 may have, and a /48 twice as many; 0 for no limit, which is right
        /// behind a reverse proxy.
        package var maxConnectionsPerAddress = 0

        /// The size of a request's line and fields, in bytes.
        package var headerLimit = 16 * 1024

        /// How many fields a request may have.
        package var headerCountLimit = 100

        /// The size of a request's body, in bytes.
        package var bodyLimit = 64 * 1024

        /// The time for a first request to begin, and for any request's fields to arrive once it has begun.
        package var headerTimeout = Duration.seconds(10)

        /// The time for a body to arrive, and for an answer to be taken.
        package var bodyTimeout = Duration.seconds(20)

        /// The time from one request to the end of the next one's first line.
        package var idleTimeout = Duration.seconds(60)

        /// The time that requests in progress are given when the server stops.
        package var drainTimeout = Duration.seconds(10)

        /// Whether the server looks for slow clients by itself; a test that brings its own time does so in its place.
        var sweepsByItself = true

        /// Creates a configuration with the usual limits.
        package init(address: String = "127.0.0.1", port: Int = 0) {
            self.address = address
            self.port = port
        }

        /// How long a connection may stay in a phase; nil where only the handler decides.
        func limit(of phase: ConnectionPhase) -> Duration? {
            switch phase {
            case .fresh, .head: headerTimeout
            case .body, .answering: bodyTimeout
            case .idle: idleTimeout
            case .handling: nil
            }
        }
    }
}
