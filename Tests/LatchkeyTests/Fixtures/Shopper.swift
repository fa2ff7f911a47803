import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire

/// A device whose app sends access tokens to an API of its own.
struct Shopper: Sendable {
    let server: TestServer
    let network: ShopNetwork
    let store: FragileStore
    let time: any TimeSource
    let client: LatchkeyClient

    init(
        _ server: TestServer,
        network: ShopNetwork? = nil,
        store: FragileStore = FragileStore(),
        time: (any TimeSource)? = nil
    ) throws {
        self.server = server
        self.network = network ?? ShopNetwork(server)
        self.store = store
        self.time = time ?? server.time
        client = try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.shop",
            apiOrigins: [ShopNetwork.url],
            store: store,
            credential: .accessToken,
            transport: self.network,
            languages: [],
            time: self.time
        )
    }

    /// A device on which a customer of a fresh server is logged in and has used the API.
    static func loggedIn(clockOff skew: Duration = .zero) async throws -> Shopper {
        let server = try await TestServer()
        try await server.addCustomer(phone: Handset.phone, passcode: Handset.passcode)
        let shopper = try Shopper(server, time: SkewedTime(server.time, by: skew))
        try await shopper.logIn()
        return shopper
    }

    /// Another process of the app, or the same after a restart.
    func another() throws -> Shopper {
        try Shopper(server, network: network, store: store, time: time)
    }

    func logIn() async throws(LatchkeyError) {
        try await client.signIn(phone: Handset.phone, password: Handset.passcode)
    }

    /// Asks the API for something.
    ///
    /// - Returns: The status.
    func order() async throws(LatchkeyError) -> Int {
        try await client.send(HTTPRequest(.post, "/orders"), to: ShopNetwork.url).status
    }

    /// Waits until no maintenance is running.
    func maintenanceEnds() async {
        await client.engine.requests.maintenance.finish()
    }

    /// Lets so much time pass that every access token is over.
    func letTokensExpire() {
        server.time.advance(by: .seconds(601))
    }

    var isLoggedIn: Bool { client.sessionState.session != nil }
}

/// A clock that is wrong by the same all the time.
struct SkewedTime: TimeSource {
    private let time: VirtualTime
    private let skew: Duration

    init(_ time: VirtualTime, by skew: Duration) {
        (self.time, self.skew) = (time, skew)
    }

    var now: Timestamp { time.now + skew }

    var uptime: Duration { time.uptime }

    func sleep(for duration: Duration) async throws {
        try await time.sleep(for: duration)
    }
}
