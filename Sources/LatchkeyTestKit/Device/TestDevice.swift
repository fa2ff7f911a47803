public import Latchkey
public import LatchkeyCore
public import LatchkeyModel

/// A simulated device, with its network, store and clock, that runs an app connected to a test server.
///
/// The store is in memory, the network is simulated within this process, and the clock follows the server's
/// clock. Everything else is production code. OpenSSL always generates the device keys, regardless of the
/// random source.
public final class TestDevice: Sendable {
    /// The network between the device and all servers, with injectable faults.
    ///
    /// All clients of the device share the network, so ``TestTransport/exchanges`` contains the requests from
    /// all clients.
    public let network: TestTransport

    /// The store of the app's session, which persists when the app restarts.
    public let store = MemoryStore()

    /// The device's clock, with an adjustable skew.
    public let clock: DeviceClock

    private let server: TestServer
    private let random: any RandomSource

    /// Creates a device without a stored session.
    ///
    /// - Parameters:
    ///   - server: The identity server that the app uses.
    ///   - address: The device's IP address as the server sees it; rate limits apply per address.
    ///   - random: The device's random source, which is not used for its keys.
    public init(
        _ server: TestServer,
        address: String = "127.0.0.1",
        random: any RandomSource = SystemRandom()
    ) {
        self.server = server
        self.random = random
        network = server.transport(from: address)
        clock = DeviceClock(server.time)
    }

    /// Launches the app.
    ///
    /// Each call simulates a new launch of the app, with the session that earlier launches have stored. Two
    /// clients that exist at the same time act as two processes of the app.
    ///
    /// - Parameters:
    ///   - app: The id of the app.
    ///   - apiOrigins: The origins of the app's own servers; see ``TestTransport/serve(_:with:)``.
    ///   - languages: The user's languages, most preferred first; empty by default, regardless of the
    ///     environment.
    ///   - credential: The credential that authenticates the app's own requests.
    /// - Returns: The client for this launch of the app.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` for an invalid app id, origin or language.
    public func client(
        app: String = "com.example.app",
        apiOrigins: Set<String> = [],
        languages: [String] = [],
        credential: Credential = .sessionToken
    ) throws(LatchkeyError) -> LatchkeyClient {
        try LatchkeyClient(
            server: server.address,
            app: app,
            apiOrigins: apiOrigins,
            store: store,
            credential: credential,
            transport: network,
            languages: languages,
            time: clock,
            random: random
        )
    }
}
