public import Latchkey
public import LatchkeyCore
public import LatchkeyModel

/// A device with an app on it, in front of a test server: its network, its store and its clock.
///
/// Nothing here is real but the code: the store is in memory, the network in this process, the clock the server's.
/// Keys are made by the system's generator, whatever the source of randomness.
public final class TestDevice: Sendable {
    /// The network between the device and all servers, with the faults that a test wants.
    public let network: TestTransport

    /// What the app remembers when it is started again.
    public let store = MemoryStore()

    /// The device's clock.
    public let clock: DeviceClock

    private let server: TestServer
    private let random: any RandomSource

    /// Creates a device that was never used.
    ///
    /// - Parameters:
    ///   - server: The server that its app talks to.
    ///   - address: Whose network address the server sees; limits on attempts count by it.
    ///   - random: The device's source of randomness.
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

    /// Starts the app.
    ///
    /// Each call is a start of its own that finds what those before it left in the store; two clients at once are two
    /// processes of the app.
    ///
    /// - Parameters:
    ///   - app: The app's id.
    ///   - apiOrigins: The app's own servers; see ``TestTransport/serve(_:with:)``.
    ///   - languages: The languages of the user; none by default, whatever the environment of the tests.
    ///   - credential: What the app's own requests carry.
    /// - Returns: The client that the app makes when it starts.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` for an app id, an origin or a language that cannot be right.
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
