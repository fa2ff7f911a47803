import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// A client engine that uses a fake server, store, clock and device keys.
struct TestEngine: Sendable {
    /// The origins of the app's own APIs.
    static let apis: Set = ["https://api.example.com", "https://broken.example.com"]

    let server: FakeIdentityServer
    let store: FaultInjectingStore
    let keys: FakeDeviceKeys
    let time: VirtualTime
    let engine: Engine

    init(
        server: FakeIdentityServer = FakeIdentityServer(),
        store: FaultInjectingStore = FaultInjectingStore(),
        keys: FakeDeviceKeys = FakeDeviceKeys(),
        time: VirtualTime = VirtualTime(),
        basePath: String = "/a",
        credential: Credential = .sessionToken,
        client: ClientRegistration? = nil,
        transport: (any Transport)? = nil
    ) throws {
        self.server = server
        self.store = store
        self.keys = keys
        self.time = time
        let address = try #require(WebAddress(FakeIdentityServer.origin))
        engine = Engine(
            server: address,
            basePath: try #require(BasePath(basePath)),
            origins: try APIOrigins(server: address, adding: Self.apis),
            credential: credential,
            client: client,
            parts: EngineParts(
                store: store,
                deviceKeys: keys,
                transport: transport ?? server,
                time: time,
                random: SeededRandom(seed: Self.nextSeed())
            )
        )
    }

    private static let seeds = Locked<UInt64>(0)

    /// Returns a unique seed, so that engines that share a store don't generate the same ids.
    private static func nextSeed() -> UInt64 {
        seeds.withLock { seed in
            seed += 1
            return seed
        }
    }

    /// Returns an engine with a logged-in user.
    static func loggedIn() async throws -> TestEngine {
        let device = try TestEngine()
        _ = try await device.logIn()
        device.server.forgetRequests()
        return device
    }

    /// Returns a new engine that uses the same server and store, as if the app had been restarted.
    func restarted() throws -> TestEngine {
        try TestEngine(server: server, store: store, keys: keys, time: time)
    }

    func logIn(
        onlyAs schema: String? = nil,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        try await engine.flows.onlyAs(schema).signIn(
            TestAccount.phone,
            password: Secret(TestAccount.passcode),
            persistence: persistence
        ).session
    }

    func finishSignUp(onlyAs schema: String? = nil) async throws(LatchkeyError) -> UserSession {
        let signUp = SignUp(engine: engine.flows.onlyAs(schema))
        return try await signUp.resumeVerified(
            StepToken(flow: "flow-signup", kind: .registration, address: TestAccount.phone)
        ).finish(
            password: TestAccount.passcode,
            name: TestAccount.name
        )
    }

    /// Waits until all maintenance and store operations have finished.
    func maintenanceEnds() async {
        await engine.requests.maintenance.finish()
        await engine.keeper.ready(again: true)
    }

    /// Whether the device contains neither a session nor a key.
    var isClean: Bool {
        engine.keeper.held == nil && store.bytes == nil && keys.living.isEmpty
    }

    /// Keeps advancing the clock until a task has ended.
    ///
    /// The task is cancelled along with the test, so the test ends when it reaches its time limit.
    func advancing<Value: Sendable>(
        _ task: Task<Value, Never>,
        by step: Duration = .seconds(60)
    ) async -> Value {
        await time.advancing(by: step) {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}
