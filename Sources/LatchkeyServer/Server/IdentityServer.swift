public import LatchkeyModel
package import LatchkeyServerCore

/// The identity server as a library: everything from the data folder to the listeners.
///
/// ```swift
/// let server = IdentityServer(configuration: ServerConfiguration(data: "/var/lib/latchkey"))
/// try await server.start()
/// ```
public final class IdentityServer: Sendable {
    /// The configuration it was made with.
    public let configuration: ServerConfiguration

    private enum State {
        /// Nothing was done yet. Becomes `starting`.
        case idle
        /// A start is under way. Becomes `running`, or `idle` when it fails.
        case starting
        /// Serves. Becomes `stopped`.
        case running(RunningServer)
        /// Is over for good.
        case stopped
    }

    private let state = Locked<State>(.idle)
    private let slot = HandlerSlot()
    private let parts: ServerParts

    /// Creates a server; ``start()`` makes it serve.
    ///
    /// - Parameter configuration: What the operator decides.
    public convenience init(configuration: ServerConfiguration) {
        self.init(configuration: configuration, parts: .system(logging: configuration.logLevel))
    }

    package init(configuration: ServerConfiguration, parts: ServerParts) {
        self.configuration = configuration
        self.parts = parts
    }

    /// Opens the data folder, brings the database up to date and listens; returns when clients can come.
    ///
    /// - Throws: ``IdentityServerError``; then nothing is left running.
    public func start() async throws(IdentityServerError) {
        try state.withLock { state throws(IdentityServerError) in
            guard case .idle = state else {
                throw IdentityServerError(.alreadyStarted, "The server was started before.")
            }
            state = .starting
        }
        do {
            let running = try await RunningServer(configuration, parts, filling: slot)
            state.withLock { $0 = .running(running) }
        } catch {
            state.withLock { $0 = .idle }
            throw error
        }
    }

    /// Takes no new requests, finishes those in progress, and closes the database; does nothing when it does not run.
    public func stop() async {
        let running = state.withLock { state -> RunningServer? in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        guard let running else { return }
        await running.stop(emptying: slot)
    }

    /// The address under which clients reach the server; nothing when it does not run.
    public var url: String? { running?.url }

    /// The address of the operator's listener; nothing when it does not run.
    public var adminURL: String? { running?.adminURL }

    /// The token with which callers are accepted by the admin listener; `nil` when the server does not run.
    public var adminToken: Secret? { running?.adminToken }

    /// Where its PostgreSQL database is, without passwords; nothing for a file in the data folder.
    package var database: String? { ServerStores.place(of: configuration) }

    /// Answers what clients ask, without sockets; 503 when the server does not run.
    package var handler: any HTTPHandler { slot }

    private var running: RunningServer? {
        state.withLock { if case .running(let running) = $0 { running } else { nil } }
    }
}
