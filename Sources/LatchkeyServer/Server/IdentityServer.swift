public import LatchkeyModel
package import LatchkeyServerKit

/// The identity server as a library, from the data folder to the listeners.
///
/// ```swift
/// let server = IdentityServer(configuration: ServerConfiguration(data: "/var/lib/latchkey"))
/// try await server.start()
/// ```
///
/// All members can be used from any task. A server can be started successfully only once. To start again,
/// create another server.
public final class IdentityServer: Sendable {
    /// The configuration of the server.
    public let configuration: ServerConfiguration

    /// The states in the lifecycle of the server.
    private enum State {
        /// The server has not been started. The next state is `starting`.
        case idle
        /// The server is starting. The next state is `running`, or `idle` if the start fails.
        case starting
        /// The server is running. The next state is `stopped`.
        case running(RunningServer)
        /// The server was stopped and cannot be started again.
        case stopped
    }

    private let state = Locked<State>(.idle)
    /// The handler of the public listener, which forwards requests only while the server runs.
    private let slot = ReplaceableHandler()
    private let parts: ServerParts

    /// Creates a server, which does not listen until ``start()`` is called.
    ///
    /// - Parameter configuration: The settings of the server.
    public convenience init(configuration: ServerConfiguration) {
        self.init(configuration: configuration, parts: .system(logging: configuration.logLevel))
    }

    /// Creates a server with the given dependencies, for tests and commands.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the server.
    ///   - parts: The clock, the random source, the log and other dependencies.
    package init(configuration: ServerConfiguration, parts: ServerParts) {
        self.configuration = configuration
        self.parts = parts
    }

    /// Opens the data folder, migrates the database and starts listening, and returns when clients can
    /// connect.
    ///
    /// The call throws ``IdentityServerError/Code/alreadyStarted`` if the server is starting, is running or
    /// was stopped.
    ///
    /// - Throws: ``IdentityServerError``. A failed start leaves no resources open and can be repeated.
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

    /// Stops accepting requests, completes requests in progress and closes the database.
    ///
    /// Returns when everything is closed. A stopped server cannot be started again.
    ///
    /// The call has no effect unless the server is running, so a server that is starting is not stopped.
    /// Messages that are being sent have five seconds to finish, and all others remain in the outbox.
    public func stop() async {
        let running = state.withLock { state -> RunningServer? in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        guard let running else { return }
        await running.stop(emptying: slot)
    }

    /// The URL under which clients reach the server; `nil` if it is not running.
    ///
    /// The URL is the configured one, or the listener's URL if none is configured.
    public var url: String? { running?.url }

    /// The URL of the admin listener; `nil` if the server is not running.
    ///
    /// If the configured port is 0, the URL contains the port that the system selected.
    public var adminURL: String? { running?.adminURL }

    /// The token that the admin listener accepts; `nil` if the server is not running.
    ///
    /// The token is the configured one, or is derived from the first secret if none is configured.
    public var adminToken: Secret? { running?.adminToken }

    /// The location of the PostgreSQL database, without passwords; `nil` for SQLite.
    package var database: String? { ServerStores.place(of: configuration) }

    /// The handler of client requests, for use without sockets.
    ///
    /// It responds with 503 if the server is not running.
    package var handler: any HTTPHandler { slot }

    /// The resources of the running server; `nil` in all other states.
    private var running: RunningServer? {
        state.withLock { if case .running(let running) = $0 { running } else { nil } }
    }
}
