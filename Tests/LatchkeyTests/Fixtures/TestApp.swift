import Latchkey
import LatchkeyModel
import LatchkeyTestKit

/// An app with a client on a simulated device, a real server and its own API.
struct TestApp<Store: SessionStore>: Sendable {
    let server: TestServer
    let network: TestTransport
    let api: TokenCheckingAPI
    let store: Store
    let clock: DeviceClock
    let credential: Credential
    let client: LatchkeyClient

    init(
        _ server: TestServer,
        store: Store,
        credential: Credential = .sessionToken,
        clockSkew: Duration = .zero
    ) throws {
        let network = server.transport()
        let api = TokenCheckingAPI(time: server.time)
        network.serve(TokenCheckingAPI.url) { api.response(to: $0) }
        try self.init(
            server,
            network: network,
            api: api,
            store: store,
            credential: credential,
            clock: DeviceClock(server.time, skew: clockSkew)
        )
    }

    private init(
        _ server: TestServer,
        network: TestTransport,
        api: TokenCheckingAPI,
        store: Store,
        credential: Credential,
        clock: DeviceClock
    ) throws {
        self.server = server
        self.network = network
        self.api = api
        self.store = store
        self.clock = clock
        self.credential = credential
        client = try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.shop",
            apiOrigins: [TokenCheckingAPI.url]
        ) {
            $0.store = store
            $0.credential = credential
            $0.transport = network
            $0.languages = []
            $0.time = clock
        }
    }

    /// Starts the app again.
    ///
    /// This simulates a restart, or a second process if this app is still in use.
    func restarted() throws -> TestApp {
        try TestApp(
            server,
            network: network,
            api: api,
            store: store,
            credential: credential,
            clock: clock
        )
    }

    /// Logs the customer in.
    func logIn() async throws(LatchkeyError) {
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
    }

    /// Starts a sign-up and verifies the phone number.
    func verifiedPhone() async throws -> SignUp.PhoneVerified {
        let sent = try await client.signUp.begin(phone: TestAccount.phone)
        return try await sent.verify(server.code(for: TestAccount.phone))
    }

    /// Sends a request to the app's API, and returns the status.
    func callAPI() async throws(LatchkeyError) -> Int {
        try await client.send(HTTP.Request(.post, "/orders"), to: TokenCheckingAPI.url).status
    }

    /// Waits until no maintenance is running.
    func maintenanceEnds() async {
        await client.engine.requests.maintenance.finish()
    }

    /// Advances the clock until every access token has expired.
    func expireTokens() {
        server.time.advance(by: .seconds(601))
    }

    var isLoggedIn: Bool { client.sessionState.session != nil }

    /// Whether no session is stored and no user is logged in.
    var isClean: Bool {
        if case .absent = store.read() { !isLoggedIn } else { false }
    }

    /// The requests that were sent to the identity server, with their responses.
    var identityExchanges: [NetworkExchange] {
        network.exchanges.filter { $0.request.path != "/orders" }
    }

    /// The method and path of each request to the identity server, such as `POST /oauth2/token`.
    var requestLines: [String] {
        identityExchanges.map { "\($0.request.method.rawValue) \($0.request.path)" }
    }

    /// The number of requests for tokens.
    var tokenRequests: Int { network.exchanges.count { $0.request.path == "/oauth2/token" } }

    /// The number of requests for tokens that were granted.
    var tokenGrants: Int {
        network.exchanges.count { $0.request.path == "/oauth2/token" && $0.response?.status == 200 }
    }
}

extension TestApp<MemoryStore> {
    init(_ server: TestServer) throws {
        try self.init(server, store: MemoryStore())
    }

    /// Returns an app with session tokens, whose customer is logged in.
    static func loggedIn(certificateLifespan: Duration = .seconds(90 * 86_400)) async throws -> TestApp {
        let server = try await TestServer(certificateLifespan: certificateLifespan)
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)
        try await app.logIn()
        app.network.forgetExchanges()
        return app
    }
}

extension TestApp<FaultInjectingStore> {
    /// Returns an app with access tokens, whose customer is logged in.
    static func withAccessTokens(clockSkew: Duration = .zero) async throws -> TestApp {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(
            server,
            store: FaultInjectingStore(),
            credential: .accessToken,
            clockSkew: clockSkew
        )
        try await app.logIn()
        return app
    }
}
