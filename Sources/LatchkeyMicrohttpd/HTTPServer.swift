import LatchkeyModel
package import LatchkeyServerCore

/// An HTTP/1.1 server on libmicrohttpd.
///
/// What is malformed or larger than the limits is refused here; all else reaches the handler, on threads of the
/// server's own: a handler that never waits is run to its end there, one that waits goes on where it was resumed while
/// the thread serves others.
package final class HTTPServer: Sendable {
    private let configuration: Configuration
    private let handler: any HTTPHandler
    private let daemon = Locked<Daemon?>(nil)

    /// Creates a server; ``start()`` makes it listen.
    package init(configuration: Configuration, handler: any HTTPHandler) {
        self.configuration = configuration
        self.handler = handler
    }

    /// Listens and serves until ``stop()``, which must be called: a server that is let go of serves on.
    package func start() throws(HTTPServerError) {
        try daemon.withLock { daemon throws(HTTPServerError) in
            guard daemon == nil else { throw .alreadyStarted }
            daemon = try Daemon(configuration: configuration, handler: handler)
        }
    }

    /// The port that the server listens on; nil when it does not.
    package var boundPort: Int? {
        daemon.withLock { $0?.listener.port }
    }

    /// Refuses new connections, waits for the requests in progress, and returns when all threads have ended.
    ///
    /// A request that is not done in time is answered with 503 and its task is cancelled.
    package func stop() async {
        let running = daemon.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        await running?.stop()
    }

    /// Ends connections that are too slow; the server does so every second, a test whenever it likes.
    package func sweep(now: ContinuousClock.Instant) {
        daemon.withLock { $0 }?.sweep(now: now)
    }

    /// How many connections are open.
    package var connectionCount: Int {
        daemon.withLock { $0 }?.registry.count ?? 0
    }

    /// What each open connection waits for, in no order.
    var phases: [ConnectionPhase] {
        daemon.withLock { $0 }?.registry.phases ?? []
    }
}
