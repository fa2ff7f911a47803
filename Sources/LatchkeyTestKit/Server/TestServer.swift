package import LatchkeyAccounts
import LatchkeyBcrypt
import LatchkeyCommerce
import LatchkeyCourier
package import LatchkeyCrypto
public import LatchkeyModel
import LatchkeySQLite
package import LatchkeyServer
package import LatchkeyServerKit
import LatchkeySodium
import LatchkeyWire

/// The real identity server, without sockets, in the process of the test.
///
/// The server has its own database and a virtual clock.
///
/// Passwords are hashed with the weakest parameters to save time; everything else is production code. The
/// test must call ``stop()`` at its end.
public final class TestServer: Sendable {
    /// The storage of a test server's database.
    public enum Storage: Sendable {
        /// A database in memory, which remains open across a restart, while all other state is lost.
        case memory
        /// A database file, which a restart closes and reopens, and which remains after the server is
        /// stopped.
        case file(String)
    }

    /// The base URL of the server.
    ///
    /// Only the test server's transports resolve this URL, which a ``SocketTestServer`` does not use.
    public static let url = "https://id.test"

    /// The server's clock, which continues to run across a restart.
    ///
    /// The server's own sleeps use its ``VirtualTime/background``.
    public let time: VirtualTime

    /// The text messages and e-mails that the server has sent, and from which ``code(for:)`` reads codes.
    public let codes = CodeInbox()

    /// Opens the database of servers with in-memory storage, so that tests can use another database.
    ///
    /// The value is read when a server first starts, because a restart uses the same database. Servers with a
    /// database file ignore it.
    @TaskLocal package static var opening: (@Sendable (any TimeSource) async throws -> any Database)?

    /// Wraps the servers' request handlers, for tests that check every response.
    ///
    /// The closure is called at each start, including a restart, with the handler and the OpenAPI document
    /// for its routes.
    @TaskLocal package static var watching: (@Sendable (any HTTPHandler, OpenAPIDocument) -> any HTTPHandler)?

    /// The operator's settings; the listeners and the data folder are ignored.
    package let configuration: ServerConfiguration
    /// The certificate authority for device certificates, which remains the same after a restart.
    ///
    /// The authority is valid for ten years from the creation of the server, according to its ``time``.
    package let authority: CertificateAuthority

    /// The base URL of the server.
    let address: String

    private let secrets: ServerSecrets
    private let random: any RandomSource
    private let storage: Storage
    private let report: Router.FailureReport
    private let running: Locked<RunningServer?>
    private let transports = Locked<[TestTransport]>([])

    /// Starts a server with the default settings.
    ///
    /// - Parameters:
    ///   - storage: The storage of the server's database.
    ///   - time: The server's clock.
    ///   - random: The random source for the server's ids, codes and tokens; with a ``SeededRandom``, they
    ///     are the same in every run.
    /// - Throws: The error of the database or another component that prevented the start.
    public convenience init(
        storage: Storage = .memory,
        time: VirtualTime = VirtualTime(),
        random: any RandomSource = SystemRandom()
    ) async throws {
        try await self.init(
            storage: storage,
            time: time,
            configuration: TestServer.configuration(),
            random: random
        )
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - storage: The storage of the server's database.
    ///   - time: The server's clock.
    ///   - configuration: The operator's settings; the listeners and the data folder are ignored.
    ///   - random: The random source for the server's ids, codes and tokens.
    ///   - url: The base URL of the server.
    ///   - report: Called with unexpected errors, for which clients receive a response with status 500 and no
    ///     details.
    /// - Throws: The error of the database or another component that prevented the start.
    package init(
        storage: Storage = .memory,
        time: VirtualTime = VirtualTime(),
        configuration: ServerConfiguration,
        random: any RandomSource = SystemRandom(),
        url: String = TestServer.url,
        report: @escaping Router.FailureReport = { _, _, _ in }
    ) async throws {
        self.storage = storage
        self.time = time
        self.random = random
        self.report = report
        self.configuration = configuration
        address = url
        secrets = ServerSecrets(signing: random.bytes(32))
        authority = try CertificateAuthority.make(
            commonName: "Latchkey test authority",
            notBefore: time.now,
            notAfter: time.now + .seconds(10 * 365 * 86_400),
            random: random
        )
        running = Locked(nil)
        try await start()
    }

    /// Returns the default configuration; a server in a test's process uses no data folder.
    package static func configuration() -> ServerConfiguration {
        ServerConfiguration(data: "")
    }

    /// Returns the latest code that was sent to a phone number or an e-mail address, or waits for the next
    /// one if there is no new code.
    ///
    /// Each code is returned only once, and all earlier codes are discarded.
    ///
    /// - Parameter address: The phone number or e-mail address, in any format that users may enter.
    /// - Returns: The six digits of the code.
    /// - Throws: ``CodeInbox/NoAddress`` for other text; `CancellationError` if the task is cancelled first.
    public func code(for address: String) async throws -> String {
        try await codes.code(for: address).exposed
    }

    /// Creates a transport to the server from the given client address.
    ///
    /// Each ``TestDevice`` has its own transport.
    ///
    /// - Parameter address: The client's IP address as the server sees it; rate limits apply per address.
    /// - Returns: The transport, which also works after a restart of the server.
    public func transport(from address: String = "127.0.0.1") -> TestTransport {
        let peer = PeerAddress(host: address, port: 0)
        let transport = TestTransport(origin: self.address, time: time) { [running] in
            running.withLock { $0?.handler }.map { handler in
                { request in await handler.respond(to: request, from: peer).withCompleteBody() }
            }
        }
        transports.withLock { $0.append(transport) }
        return transport
    }

    /// Restarts the server after all requests in progress have ended.
    ///
    /// Its in-memory state is lost, but all data that the server has acknowledged is in the database.
    ///
    /// Transports, ``time``, ``codes`` and the secrets remain the same, so session tokens and signed tokens
    /// are still valid. If the start fails, the server remains stopped.
    ///
    /// - Throws: The error of the database or another component that prevented the start.
    public func restart() async throws {
        let database = await halt()
        try await start(on: database)
    }

    /// Stops the server, after which requests fail with `unreachable`.
    ///
    /// The method first waits for requests in progress on all transports. An in-memory database is lost.
    /// Later calls have no effect.
    public func stop() async {
        await halt()?.close()
    }

    /// The request handler, which also works after a restart.
    ///
    /// While the server is stopped, the handler responds with 503.
    ///
    /// In contrast to requests over a transport, a restart or stop does not wait for requests to this
    /// handler.
    package var handler: any HTTPHandler { CurrentHandler(running: running) }

    /// The database, for tests of stored data; `nil` while the server is stopped.
    package var database: (any Database)? {
        running.withLock { $0?.database }
    }

    /// The password hasher; `nil` while the server is stopped.
    package var hasher: (any PasswordHasher)? {
        running.withLock { $0?.hasher }
    }

    /// The parts of the server; `nil` while the server is stopped.
    package var assembly: ServerAssembly? {
        running.withLock { $0?.assembly }
    }

    /// Stops everything except an in-memory database, and returns that database.
    ///
    /// The method rejects new requests from the beginning, and waits for the transports' requests before it
    /// shuts the server down.
    private func halt() async -> (any Database)? {
        let stopped = running.withLock { server in
            defer { server = nil }
            return server
        }
        // Polls for session events would otherwise wait for the virtual clock.
        stopped?.assembly.closeEventStreams()
        for transport in transports.withLock({ $0 }) { await transport.settled() }
        await stopped?.assembly.shutDown()
        await stopped?.hasher.close()
        guard case .file = storage else { return stopped?.database }
        await stopped?.database.close()
        return nil
    }

    /// Starts the server, with the database of an earlier run if one is given.
    ///
    /// The server accepts requests as soon as this method returns.
    private func start(on kept: (any Database)? = nil) async throws {
        let database: any Database
        if let kept {
            database = kept
        } else if case .memory = storage, let open = Self.opening {
            database = try await open(time)
        } else {
            database = try await SQLiteDatabase.open(storage.location, migrations: .all, time: time)
        }
        let hasher = try Argon2idHasher(
            parameters: .weakest,
            threads: 1,
            foreign: [DerivedKeyHashing(), BcryptHashing()],
            random: random,
            time: time.background
        )
        var resources = ServerResources(
            database: database,
            hasher: hasher,
            secrets: secrets,
            schemas: try SchemaCatalog(standard: configuration.schemas.standard),
            time: time.background,
            random: random
        )
        resources.catalog = try ProductCatalog(configuration.commerce)
        let assembly = try ServerAssembly(
            configuration,
            url: address,
            resources: resources,
            authority: authority,
            delivery: codes,
            options: CourierOptions(pause: .zero..<(.zero)),
            report: report
        )
        running.withLock {
            $0 = RunningServer(
                database: database,
                hasher: hasher,
                assembly: assembly,
                handler: Self.watching?(assembly.handler, assembly.document.document) ?? assembly.handler
            )
        }
    }
}

/// A handler that forwards to the running server, even after a restart.
private struct CurrentHandler: HTTPHandler {
    let running: Locked<RunningServer?>

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard let handler = running.withLock({ $0?.handler }) else { return HTTP.Response(503) }
        return await handler.respond(to: request, from: peer)
    }
}

/// The parts of a running server that a restart replaces.
private struct RunningServer: Sendable {
    let database: any Database
    let hasher: Argon2idHasher
    let assembly: ServerAssembly
    let handler: any HTTPHandler
}

extension TestServer.Storage {
    fileprivate var location: SQLiteLocation {
        switch self {
        case .memory: .memory
        case .file(let path): .file(path)
        }
    }
}

extension Argon2idParameters {
    /// The smallest parameters that Argon2id accepts.
    fileprivate static let weakest = Argon2idParameters(memory: 8, iterations: 1) ?? .recommended
}
