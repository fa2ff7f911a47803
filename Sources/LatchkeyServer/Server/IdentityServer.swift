public import LatchkeyModel
package import LatchkeyServerKit

/// An identity server that can be embedded in another program.
///
/// ```swift
/// let server = IdentityServer(configuration: ServerConfiguration(data: "/var/lib/latchkey"))
/// try await server.start()
/// ```
///
/// All members can be used from any task. A server can be started successfully only once. To start again,
/// create a new server.
public final class IdentityServer: Sendable {
    /// The server's configuration.
    public let configuration: ServerConfiguration

    private enum State {
        /// The server hasn't been started.
        ///
        /// The next state is `starting`.
        case idle
        /// The server is starting.
        ///
        /// The next state is `running`, or `idle` if the server fails to start.
        case starting
        /// The server is running.
        ///
        /// The next state is `stopped`.
        case running(RunningServer)
        /// The server has been stopped.
        ///
        /// A stopped server cannot be started again.
        case stopped
    }

    private let state = Locked<State>(.idle)
    /// The handler of the public listener.
    ///
    /// Requests are forwarded only while the server is running.
    private let slot = ReplaceableHandler()
    private let parts: ServerParts

    /// Creates a server.
    ///
    /// The server doesn't listen until ``start()`` is called.
    ///
    /// - Parameter configuration: The server's configuration.
    public convenience init(configuration: ServerConfiguration) {
        self.init(configuration: configuration, parts: .system(logging: configuration.logLevel))
    }

    /// Creates a server with the given dependencies.
    ///
    /// Tests and commands use this initializer.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - parts: The clock, the random source, the log and other dependencies.
    package init(configuration: ServerConfiguration, parts: ServerParts) {
        self.configuration = configuration
        self.parts = parts
    }

    /// Opens the data folder, migrates the database and starts listening.
    ///
    /// When this method returns, clients can connect. Starting fails with
    /// ``IdentityServerError/Code/alreadyStarted`` if the server is starting or running, or if it was
    /// stopped.
    ///
    /// - Throws: ``IdentityServerError``. When this error is thrown, all resources have been closed, and you
    ///   can try again.
    public func start() async throws(IdentityServerError) {
        try state.withLock { state throws(IdentityServerError) in
            guard case .idle = state else {
                throw IdentityServerError(.alreadyStarted, message: "The server has already been started.")
            }
            state = .starting
        }
        do {
            let running = try await RunningServer(configuration, parts: parts, filling: slot)
            state.withLock { $0 = .running(running) }
        } catch {
            state.withLock { $0 = .idle }
            throw error
        }
    }

    /// Stops accepting requests, waits for requests in progress to complete and closes the database.
    ///
    /// This method returns when everything is closed. A stopped server cannot be started again.
    ///
    /// If the server isn't running or is still starting, calling this method has no effect. Messages that are
    /// being sent have five seconds to complete. All other messages remain in the outbox.
    public func stop() async {
        let running = state.withLock { state -> RunningServer? in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        guard let running else { return }
        await running.stop(emptying: slot)
    }

    /// The URL that clients use to reach the server, or `nil` if the server isn't running.
    ///
    /// If no URL is configured, this is the URL of the listener.
    public var url: String? { running?.url }

    /// The URL of the admin listener, or `nil` if the server isn't running.
    ///
    /// If the configured port is 0, this URL contains the port that the system selected.
    public var adminURL: String? { running?.adminURL }

    /// The token for requests to the admin listener, or `nil` if the server isn't running.
    ///
    /// If no token is configured, this is the token derived from the first secret.
    public var adminToken: Secret? { running?.adminToken }

    /// The location of the PostgreSQL database without passwords, or `nil` if the server uses SQLite.
    package var database: String? { ServerStores.place(of: configuration) }

    /// Handles client requests without using a socket.
    ///
    /// The handler responds with status 503 if the server isn't running.
    package var handler: any HTTPHandler { slot }

    /// The resources of the server, or `nil` if the server isn't running.
    private var running: RunningServer? {
        state.withLock { if case .running(let running) = $0 { running } else { nil } }
    }
}
