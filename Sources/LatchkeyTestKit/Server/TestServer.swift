import LatchkeyBcrypt
package import LatchkeyCrypto
public import LatchkeyModel
import LatchkeySQLite
package import LatchkeyServerCore
import LatchkeySodium
import LatchkeyWire

/// The real identity server in this process: its own database, a clock that a test moves, and no sockets.
///
/// Hashing costs next to nothing here; everything else is what ships. ``stop()`` it when the test is over.
public final class TestServer: Sendable {
    /// Where a test server keeps its data.
    public enum Storage: Sendable {
        /// In memory; a restart keeps the database open and loses everything else.
        case memory
        /// In a file, closed and opened again by a restart. The file stays when the server is stopped.
        case file(String)
    }

    /// The address under which clients reach the server.
    public static let url = "https://id.test"

    /// The server's clock; the server itself sleeps on its ``VirtualTime/background``.
    public let time: VirtualTime

    /// What the server has sent to phones and by mail; see also ``code(for:)``.
    public let codes = CodeInbox()

    /// What opens the database of servers whose storage is memory, for tests of other databases.
    @TaskLocal package static var opening: (@Sendable (any TimeSource) async throws -> any Database)?

    /// What stands around the handlers of servers, for tests that look at every answer.
    @TaskLocal package static var watching: (@Sendable (any HTTPHandler, OpenAPIDocument) -> any HTTPHandler)?

    package let settings: ServerSettings
    package let authority: CertificateAuthority

    private let secrets: ServerSecrets
    private let random: any RandomSource
    private let storage: Storage
    private let report: Router.FailureReport
    private let running: Locked<RunningServer?>
    private let transports = Locked<[TestTransport]>([])

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - storage: Where it keeps its data.
    ///   - time: Its clock.
    ///   - random: Where its ids, codes and tokens come from; a ``SeededRandom`` makes them the same in every run.
    /// - Throws: What kept it from starting.
    public convenience init(
        storage: Storage = .memory,
        time: VirtualTime = VirtualTime(),
        random: any RandomSource = SystemRandom()
    ) async throws {
        try await self.init(storage: storage, time: time, settings: ServerSettings(), random: random)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - storage: Where it keeps its data.
    ///   - time: Its clock.
    ///   - settings: What an operator can decide, but for its address.
    ///   - random: Where its ids, codes and tokens come from.
    ///   - url: Its address.
    ///   - report: Is told about errors that no handler foresaw.
    /// - Throws: What kept it from starting.
    package init(
        storage: Storage = .memory,
        time: VirtualTime = VirtualTime(),
        settings: ServerSettings,
        random: any RandomSource = SystemRandom(),
        url: String = TestServer.url,
        report: @escaping Router.FailureReport = { _, _, _ in }
    ) async throws {
        self.storage = storage
        self.time = time
        self.random = random
        self.report = report
        var settings = settings
        settings.baseURL = url
        self.settings = settings
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

    /// The code that was sent to a phone or an e-mail address last; waits for one when all were taken.
    ///
    /// A code is handed out once, and with it go all that came before it.
    ///
    /// - Parameter address: The phone number or the e-mail address, written as people do.
    /// - Returns: The six digits, as a person types them.
    /// - Throws: ``CodeInbox/NoAddress``, or `CancellationError` when the task is cancelled first.
    public func code(for address: String) async throws -> String {
        try await codes.code(for: address).exposed
    }

    /// A transport to the server, from one network address; a ``TestDevice`` has one.
    ///
    /// - Parameter address: Whose address the server sees.
    /// - Returns: The transport; it goes on working after a restart.
    public func transport(from address: String = "127.0.0.1") -> TestTransport {
        let transport = TestTransport(
            origin: settings.baseURL,
            peer: PeerAddress(host: address, port: 0),
            time: time
        ) { [running] in running.withLock { $0?.handler } }
        transports.withLock { $0.append(transport) }
        return transport
    }

    /// Stops the server and starts it again: what it had in memory is lost, what it acknowledged is there.
    ///
    /// - Throws: What kept it from starting again.
    public func restart() async throws {
        let database = await halt()
        try await start(on: database)
    }

    /// Stops the server; clients find nothing at its address from now on.
    public func stop() async {
        await halt()?.close()
    }

    /// Where clients find the server.
    var address: String { settings.baseURL }

    /// What answers requests now, and after a restart.
    package var handler: any HTTPHandler { CurrentHandler(running: running) }

    /// The database, for tests that look behind the server.
    package var database: (any Database)? {
        running.withLock { $0?.database }
    }

    /// What hashes its passwords, as long as it runs.
    package var hasher: (any PasswordHasher)? {
        running.withLock { $0?.hasher }
    }

    /// The server's parts, as long as it runs.
    package var assembly: ServerAssembly? {
        running.withLock { $0?.assembly }
    }

    /// Stops everything but the database.
    private func halt() async -> (any Database)? {
        let stopped = running.withLock { server in
            defer { server = nil }
            return server
        }
        for transport in transports.withLock({ $0 }) { await transport.settled() }
        await stopped?.assembly.shutDown()
        await stopped?.hasher.close()
        guard case .file = storage else { return stopped?.database }
        await stopped?.database.close()
        return nil
    }

    private func start(on kept: (any Database)? = nil) async throws {
        let database: any Database
        if let kept {
            database = kept
        } else if case .memory = storage, let open = Self.opening {
            database = try await open(time)
        } else {
            database = try await SQLiteDatabase.open(storage.location, time: time)
        }
        let hasher = try Argon2idHasher(
            parameters: .weakest,
            threads: 1,
            foreign: [DerivedKeyHashing(), BcryptHashing()],
            random: random,
            time: time.background
        )
        let context = ServerContext(
            settings: settings,
            schemas: try SchemaCatalog(standard: settings.defaultSchema),
            database: database,
            hasher: hasher,
            secrets: secrets,
            time: time.background,
            random: random
        )
        let assembly = try ServerAssembly(
            context,
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

/// The handler of the server that runs, whichever that is.
private struct CurrentHandler: HTTPHandler {
    let running: Locked<RunningServer?>

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        guard let handler = running.withLock({ $0?.handler }) else { return HTTPResponse(503) }
        return await handler.respond(to: request, from: peer)
    }
}

/// What a test server stops in a restart.
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
    /// The least that the algorithm takes.
    fileprivate static let weakest = Argon2idParameters(memory: 8, iterations: 1) ?? .recommended
}
