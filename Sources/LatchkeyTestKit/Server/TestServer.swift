package import LatchkeyAccounts
import LatchkeyBcrypt
import LatchkeyCommerce
import LatchkeyCourier
package import LatchkeyCrypto
public import LatchkeyModel
import LatchkeySQLite
import LatchkeySelfService
package import LatchkeyServer
package import LatchkeyServerKit
import LatchkeySodium
import LatchkeyWire

/// The real identity server, running without sockets in the test's process.
///
/// The server has its own database and a virtual clock.
///
/// To save time, passwords are hashed with the weakest parameters. All other components are the
/// same as in production. Call ``stop()`` at the end of the test.
public final class TestServer: Sendable {
    /// Where a test server's database is stored.
    public enum Storage: Sendable {
        /// A database in memory.
        ///
        /// The database stays open during a restart, while all other state is lost.
        case memory
        /// A database file.
        ///
        /// A restart closes and reopens the file, which remains after the server has been stopped.
        case file(String)
    }

    /// The server's base URL.
    ///
    /// Only the test server's own transports can resolve this URL. A ``SocketTestServer`` has a different
    /// URL.
    public static let url = "https://id.test"

    /// The server's clock, which isn't reset when the server restarts.
    ///
    /// The server's own tasks sleep on ``VirtualTime/background``.
    public let time: VirtualTime

    /// The text messages and e-mails that the server has sent.
    ///
    /// ``code(for:)`` finds codes in these messages.
    public let codes = CodeInbox()

    /// Opens the database for servers with in-memory storage, so that tests can use a different database.
    ///
    /// The value is read only when a server starts for the first time, because a restart uses the same
    /// database. Servers with a database file ignore this value.
    @TaskLocal package static var opening: (@Sendable (any TimeSource) async throws -> any Database)?

    /// Wraps the servers' request handlers, for tests that check every response.
    ///
    /// The closure is called with the handler and the OpenAPI document for its routes, every time that a
    /// server starts or restarts.
    @TaskLocal package static var watching: (@Sendable (any HTTPHandler, OpenAPIDocument) -> any HTTPHandler)?

    /// The server's settings.
    ///
    /// The listeners and the data folder are ignored.
    package let configuration: ServerConfiguration
    /// The certificate authority for device certificates, which stays the same after a restart.
    ///
    /// The authority's certificate is valid for ten years from the creation of the server, as measured by
    /// ``time``.
    package let authority: CertificateAuthority

    /// The server's base URL.
    let address: String

    private let secrets: ServerSecrets
    private let random: any RandomSource
    private let storage: Storage
    private let catalog: TestCatalog?
    private let dutySources: [any DutySource]
    private let report: Router.FailureReport
    private let running: Locked<RunningServer?>
    private let transports = Locked<[TestTransport]>([])

    /// Starts a server with the default settings.
    ///
    /// - Parameters:
    ///   - storage: Where the server's database is stored.
    ///   - time: The server's clock.
    ///   - random: The random source for the server's ids, codes and tokens. With a ``SeededRandom``, the
    ///     ids, codes and tokens are the same in every run.
    ///   - catalog: The products that the server sells, or `nil` for a server without the purchase API.
    ///     With a catalog, users can also register with the `shopper` schema, and a sign-up with the phone
    ///     number of an existing account logs in its owner.
    /// - Throws: The error from the database or another component that prevented the server from starting,
    ///   such as a description of all problems in the catalog.
    public convenience init(
        storage: Storage = .memory,
        time: VirtualTime = VirtualTime(),
        random: any RandomSource = SystemRandom(),
        catalog: TestCatalog? = nil
    ) async throws {
        try await self.init(
            storage: storage,
            time: time,
            configuration: TestServer.configuration(selling: catalog != nil),
            random: random,
            catalog: catalog
        )
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - storage: Where the server's database is stored.
    ///   - time: The server's clock.
    ///   - configuration: The server's settings. The listeners and the data folder are ignored.
    ///   - random: The random source for the server's ids, codes and tokens.
    ///   - url: The server's base URL.
    ///   - catalog: The products that the server sells, or `nil` for those in the configured catalog.
    ///   - dutySources: Further reasons for which accounts have duties.
    ///   - report: A closure that is called with unexpected errors. The client only receives a 500
    ///     response without any details.
    /// - Throws: The error from the database or another component that prevented the server from starting.
    package init(
        storage: Storage = .memory,
        time: VirtualTime = VirtualTime(),
        configuration: ServerConfiguration,
        random: any RandomSource = SystemRandom(),
        url: String = TestServer.url,
        catalog: TestCatalog? = nil,
        dutySources: [any DutySource] = [],
        report: @escaping Router.FailureReport = { _, _, _ in }
    ) async throws {
        self.storage = storage
        self.time = time
        self.random = random
        self.catalog = catalog
        self.dutySources = dutySources
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

    /// Returns the default configuration.
    ///
    /// A server that runs in a test's process has no data folder.
    ///
    /// - Parameter isStore: Whether users can also register as shoppers.
    /// - Returns: The configuration.
    package static func configuration(selling isStore: Bool = false) -> ServerConfiguration {
        var configuration = ServerConfiguration(data: "")
        if isStore {
            configuration.registration.schemas = ["customer", "shopper"]
            configuration.registration.existingAccount = .logIn
        }
        return configuration
    }

    /// Returns the latest code that was sent to a phone number or e-mail address, or waits for the next one
    /// if there is no new code.
    ///
    /// Each code is returned only once, and any earlier codes are discarded.
    ///
    /// - Parameter address: The phone number or e-mail address, in any format that users may enter.
    /// - Returns: The code's six digits.
    /// - Throws: ``CodeInbox/NoAddress`` if the text is not an address, ``CodeInbox/NoCode`` if no code is
    ///   sent within a minute of real time, or `CancellationError` if the task is cancelled first.
    public func code(for address: String) async throws -> String {
        try await codes.code(for: address).exposed
    }

    /// Creates a transport to the server that uses the given client address.
    ///
    /// Each ``TestDevice`` has its own transport.
    ///
    /// - Parameter address: The client's IP address as seen by the server, which applies rate limits per
    ///   address. Any other string is a programming error.
    /// - Returns: A transport that keeps working after the server is restarted.
    public func transport(from address: String = "127.0.0.1") -> TestTransport {
        let peer = PeerAddress(host: address)
        let transport = TestTransport(origin: self.address, time: time) { [running] in
            running.withLock { $0?.handler }.map { handler in
                { request in await handler.respond(to: request, from: peer).received(for: request.method) }
            }
        }
        transports.withLock { $0.append(transport) }
        return transport
    }

    /// Restarts the server after all requests in progress have completed.
    ///
    /// State in memory is lost, but everything that the server has acknowledged is in the database.
    ///
    /// Transports, ``time``, ``codes`` and the secrets stay the same, so session tokens and signed tokens are
    /// still valid. If the server fails to start, it remains stopped.
    ///
    /// - Throws: The error from the database or another component that prevented the server from starting.
    public func restart() async throws {
        let database = await halt()
        try await start(on: database)
    }

    /// Stops the server, so that later requests fail with `unreachable`.
    ///
    /// This method first waits for requests in progress on all transports. An in-memory database is lost.
    /// Calling this method again has no effect.
    public func stop() async {
        await halt()?.close()
    }

    /// The request handler, which keeps working after a restart.
    ///
    /// While the server is stopped, the handler responds with 503.
    ///
    /// Stopping or restarting the server doesn't wait for requests to this handler, but does wait for
    /// requests over a transport.
    package var handler: any HTTPHandler { CurrentHandler(running: running) }

    /// The database, for tests that check stored data, or `nil` while the server is stopped.
    package var database: (any Database)? {
        running.withLock { $0?.database }
    }

    /// The password hasher, or `nil` while the server is stopped.
    package var hasher: (any PasswordHasher)? {
        running.withLock { $0?.hasher }
    }

    /// The server's assembly, or `nil` while the server is stopped.
    package var assembly: ServerAssembly? {
        running.withLock { $0?.assembly }
    }

    /// Stops the server, but leaves an in-memory database open and returns it.
    ///
    /// New requests are rejected immediately. The server shuts down when requests on the transports have
    /// completed.
    private func halt() async -> (any Database)? {
        let stopped = running.withLock { server in
            defer { server = nil }
            return server
        }
        // Otherwise, polls for session events would wait for the virtual clock.
        stopped?.assembly.endWaits()
        for transport in transports.withLock({ $0 }) { await transport.settled() }
        await stopped?.assembly.shutDown()
        await stopped?.hasher.close()
        guard case .file = storage else { return stopped?.database }
        await stopped?.database.close()
        return nil
    }

    /// Starts the server, using the database from an earlier run if there is one.
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
        resources.catalog = try catalog?.read() ?? ProductCatalog(configuration.commerce)
        resources.dutySources = dutySources
        let assembly = ServerAssembly(
            configuration,
            url: address,
            resources: resources,
            courier: try Courier(
                resources,
                delivery: codes,
                options: CourierOptions(pause: .zero..<(.zero))
            ),
            issuer: try CertificateIssuer(authority: authority, random: random),
            log: .silent,
            report: report
        )
        assembly.start()
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

/// A handler that forwards requests to the running server, even after a restart.
private struct CurrentHandler: HTTPHandler {
    let running: Locked<RunningServer?>

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        guard let handler = running.withLock({ $0?.handler }) else { return HTTP.Response(503) }
        return await handler.respond(to: request, from: peer)
    }
}

/// The components of a running server that are replaced when it restarts.
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
