import LatchkeyModel
package import LatchkeyServerKit

/// An HTTP/1.1 server based on libmicrohttpd.
///
/// Malformed and oversized requests are rejected before the handler is called. Handlers are called on the
/// server's threads. If a handler does not suspend, it runs to completion on that thread. If a handler
/// suspends, it continues on its executor while the thread serves other requests.
package final class HTTPServer: Sendable {
    private let configuration: Configuration
    private let handler: any HTTPHandler
    private let daemon = Locked<Daemon?>(nil)

    /// Creates a server.
    ///
    /// The server does not listen until ``start()`` is called.
    ///
    /// - Parameters:
    ///   - configuration: The address, limits and timeouts.
    ///   - handler: Called concurrently for requests that are complete and within the limits.
    package init(configuration: Configuration, handler: any HTTPHandler) {
        self.configuration = configuration
        self.handler = handler
    }

    /// Starts listening and serving requests.
    ///
    /// Call ``stop()`` when you are done. Releasing a running server does not stop it.
    ///
    /// - Throws: ``HTTPServerError`` if the server is already running, cannot listen on the address, or
    ///   cannot obtain threads or memory.
    package func start() throws(HTTPServerError) {
        try daemon.withLock { daemon throws(HTTPServerError) in
            guard daemon == nil else { throw .alreadyStarted }
            daemon = try Daemon(configuration: configuration, handler: handler)
        }
    }

    /// The port that the server listens on, or `nil` if it is not running.
    ///
    /// If the configured port is 0, this is the port that the operating system assigned.
    package var boundPort: Int? {
        daemon.withLock { $0?.listener.port }
    }

    /// Rejects new connections, waits for current requests, and returns when all threads have ended.
    ///
    /// Requests that exceed the drain timeout get a 503 response, and their tasks are cancelled.
    package func stop() async {
        let running = daemon.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        await running?.stop()
    }

    /// Closes connections that are too slow.
    ///
    /// The server does this every second. Tests call this method with their own time.
    ///
    /// The time limits are defined in the configuration. A running handler has no time limit.
    package func sweep(now: ContinuousClock.Instant) {
        daemon.withLock { $0 }?.sweep(now: now)
    }

    /// The number of open connections, or 0 if the server is not running.
    package var connectionCount: Int {
        daemon.withLock { $0 }?.registry.count ?? 0
    }

    /// The phases of all open connections in arbitrary order.
    var phases: [ConnectionPhase] {
        daemon.withLock { $0 }?.registry.phases ?? []
    }
}
