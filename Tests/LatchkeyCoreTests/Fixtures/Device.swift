import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import Testing

/// A device with an app on it, all of whose surroundings a test holds in its hands.
struct Device: Sendable {
    static let phone = "+439999999999"
    static let passcode = "000000"

    /// The servers of the app.
    static let apis: Set = ["https://api.example.com", "https://broken.example.com"]

    let server: FakeIdentityServer
    let store: WatchedStore
    let keys: FakeDeviceKeys
    let time: VirtualTime
    let engine: Engine

    init(
        server: FakeIdentityServer = FakeIdentityServer(),
        store: WatchedStore = WatchedStore(),
        keys: FakeDeviceKeys = FakeDeviceKeys(),
        time: VirtualTime = VirtualTime(),
        basePath: String = "/a"
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
            parts: EngineParts(
                store: store,
                deviceKeys: keys,
                transport: server,
                time: time,
                random: SeededRandom()
            )
        )
    }

    /// A device on which somebody is logged in.
    static func loggedIn() async throws -> Device {
        let device = try Device()
        _ = try await device.logIn()
        device.server.forgetRequests()
        return device
    }

    /// The same device after its app was started again.
    func restarted() throws -> Device {
        try Device(server: server, store: store, keys: keys, time: time)
    }

    func logIn(onlyAs schema: String? = nil) async throws(LatchkeyError) -> UserSession {
        try await engine.signIn(Self.phone, password: Secret(Self.passcode), onlyAs: schema).session
    }

    func finishSignUp(onlyAs schema: String? = nil) async throws(LatchkeyError) -> UserSession {
        let signUp = SignUp(engine: schema.map { engine.signUp.onlyAs($0) } ?? engine.signUp)
        return try await signUp.phoneVerified(flow: "flow-signup", phone: Self.phone).finish(
            password: Self.passcode,
            name: PersonName(first: "User", last: "Test")
        )
    }

    /// Waits until no maintenance is running, and the store has done what it was asked to.
    func maintenanceEnds() async {
        await engine.requests.maintenance.finish()
        await engine.keeper.ready(again: true)
    }

    /// Whether nothing of any login is on the device.
    var isClean: Bool {
        engine.keeper.held == nil && store.bytes == nil && keys.living.isEmpty
    }

    /// Moves the clock past every pause until a task is done.
    ///
    /// The task is cancelled with the test, so that a test which reaches its time limit ends.
    func advancing<Value: Sendable>(
        _ task: Task<Value, Never>,
        by step: Duration = .seconds(60)
    ) async -> Value {
        let clock = Task { [time] in
            while !Task.isCancelled {
                await time.sleepers(atLeast: 1)
                time.advance(by: step)
            }
        }
        defer { clock.cancel() }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
