import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A login` {
    private static let route = "PUT /identity/pki/client/certificates"
    private static let exchange = [
        "GET /a/self-service/login/api",
        "POST /a/self-service/login?flow=flow-login",
        route,
    ]

    @Test func `is a flow, a password and a certificate, in this order`() async throws {
        let device = try Device()

        let session = try await device.logIn()

        #expect(device.server.log == Self.exchange)
        #expect(session.identity.schema == "customer")
        #expect(device.engine.keeper.held?.stored.session == session)
        #expect(device.store.bytes != nil)
        #expect(device.keys.living == [1])
    }

    @Test func `sends what the contract says and nothing more`() async throws {
        let device = try Device()

        _ = try await device.logIn()

        let requests = device.server.requests
        #expect(
            requests.map(\.text) == [
                "",
                #"{"identifier":"+439999999999","method":"password","password":"000000"}"#,
                #"{"csr":"CSR of key 1 for 9a8cbfb3-87bd-4087-b48d-2569b1b43386"}"#,
            ]
        )
        #expect(requests.map { $0.headers["Content-Type"] } == [nil, "application/json", "application/json"])
        #expect(requests.map { $0.headers["X-Session-Token"] } == [nil, nil, FakeIdentityServer.token])
    }

    @Test func `takes the place of the login before it, and of its key`() async throws {
        let device = try await Device.loggedIn()

        _ = try await device.logIn()

        #expect(device.keys.living == [2])
        #expect(device.engine.keeper.held?.stored.key.exposed == [2])
    }

    @Test(arguments: [TransportError.Code.unreachable, .timedOut])
    func `repeats the request for a certificate when the network fails`(_ code: TransportError.Code)
        async throws
    {
        let device = try Device()
        device.server.plan(Self.route, .fail(code), .fail(code), .fail(code))

        let result = await device.advancing(Task { await outcome { try await device.logIn() } })

        #expect(result.error == nil)
        #expect(device.server.log == Self.exchange + [Self.route, Self.route, Self.route])
        #expect(Set(device.server.requests.suffix(4).map(\.text)).count == 1)
    }

    @Test(arguments: [("7", 7), ("10", 10), ("3600", 10)])
    func `waits as long as a busy server asks for, but at most ten seconds`(_ asked: String, _ waited: Int)
        async throws
    {
        let device = try Device()
        var busy = HTTPResponse(503)
        busy.headers["Retry-After"] = asked
        device.server.plan(Self.route, .answer(busy))
        let times = Locked<[Timestamp]>([])
        for _ in 1...2 {
            device.server.during(Self.route) { times.withLock { $0.append(device.time.now) } }
        }

        let login = await device.advancing(
            Task { await outcome { try await device.logIn() } },
            by: .seconds(1)
        )

        #expect(login.error == nil)
        try #require(times.withLock(\.count) == 2)
        #expect(times.withLock { $0[1] - $0[0] } == .seconds(waited))
    }

    @Test(arguments: [
        (FakeIdentityServer.Step.fail(.unreachable), 4, LatchkeyError.Code.unreachable),
        (.answer(HTTPResponse(500)), 4, .serverFailed),
        (.fail(.untrusted), 1, .untrusted),
        (.answer(.refusal(400, "csr_invalid")), 1, .refused),
        (.answer(.refusal(401, "session_inactive")), 1, .sessionEnded),
        (.answer(.json(200, "{}")), 1, .invalidAnswer),
    ])
    func `that gets no certificate leaves nothing on the device`(
        _ step: FakeIdentityServer.Step,
        _ attempts: Int,
        _ code: LatchkeyError.Code
    ) async throws {
        let device = try Device()
        device.server.plan(Self.route, step, step, step, step)

        let result = await device.advancing(Task { await outcome { try await device.logIn() } })

        #expect(result.code == code)
        #expect(device.server.log.filter { $0 == Self.route }.count == attempts)
        #expect(device.isClean)
        #expect(device.store.count(of: .write) == 0)
    }

    @Test func `that fails leaves the login before it as it was`() async throws {
        let device = try await Device.loggedIn()
        let before = device.store.bytes
        device.server.plan("POST /a/self-service/login", .fail(.unreachable))

        let result = await outcome { try await device.logIn() }

        #expect(result.code == .unreachable)
        #expect(device.store.bytes == before)
        #expect(device.engine.keeper.held != nil)
        #expect(device.keys.living == [1])
    }

    @Test func `at the wrong door sends nothing more and leaves nothing`() async throws {
        let device = try Device()

        let result = await outcome { try await device.logIn(onlyAs: "business") }

        #expect(result.code == .accountOfAnotherKind)
        #expect(result.error?.message.contains("customer") == true)
        #expect(device.server.log == Array(Self.exchange.prefix(2)))
        #expect(device.isClean)
    }

    @Test func `whose key cannot be made fails and leaves nothing`() async throws {
        let device = try Device()
        device.keys.fail(with: DeviceKeyError("There is no entropy."))

        #expect(await outcome { try await device.logIn() }.code == .deviceKeyFailed)
        #expect(device.isClean)
    }

    @Test func `whose key cannot sign fails and leaves nothing`() async throws {
        let device = try Device(keys: FakeDeviceKeys(isUsable: false))

        #expect(await outcome { try await device.logIn() }.code == .deviceKeyFailed)
        #expect(device.isClean)
    }

    @Test func `that cannot be written leaves nothing`() async throws {
        let device = try Device()
        device.store.fail(.write, with: SessionStoreError(.failed, message: "The disk is full."))

        let result = await outcome { try await device.logIn() }

        #expect(result.code == .storageFailed)
        #expect(device.isClean)
    }

    @Test(arguments: [SessionStoreError.Code.locked, .newer])
    func `sends nothing when what is stored cannot be told`(_ code: SessionStoreError.Code) async throws {
        let store = WatchedStore()
        store.fail(.read, with: SessionStoreError(code, message: "As planned."))
        let device = try Device(store: store)

        let result = await outcome { try await device.logIn() }

        #expect(result.code == .storageUnavailable)
        #expect(device.server.log == [])
    }

    @Test func `is refused beside a record of a newer version, and says that a sign-out makes room`()
        async throws
    {
        let store = WatchedStore()
        _ = try store.memory.write(Array(#"{"version":2,"anything":1}"#.utf8), basedOn: 0)
        let device = try Device(store: store)

        let error = await outcome { try await device.logIn() }.error

        #expect(error?.code == .storageUnavailable && error?.retry == .never)
        #expect(error?.message.contains("The session was stored by a newer version of the app") == true)
        #expect(error?.message.contains("sign out to replace the record") == true)
        #expect(device.server.log == [])
        #expect(device.engine.keeper.signOut() == nil)
        _ = try await device.logIn()
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `takes the place of a damaged record`() async throws {
        let device = try Device()
        _ = try device.store.memory.write(Array("{".utf8), basedOn: 0)

        _ = try await device.logIn()

        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held != nil)
    }

    @Test func `takes the place of a record that another process wrote meanwhile`() async throws {
        let device = try Device()
        device.store.during(.write) { [store = device.store] in
            _ = try? store.memory.write(Array("{}".utf8), basedOn: 0)
        }

        _ = try await device.logIn()

        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held != nil)
    }

    @Test(arguments: WayIn.allCases)
    func `has the expiry that the session has once it is certified`(_ way: WayIn) async throws {
        let device = try Device()
        device.server.plan(
            Self.route,
            .answer(
                .json(
                    200,
                    #"{"certificate":"PEM","notAfter":"2026-05-30T00:00:00Z","#
                        + #""sessionExpiresAt":"2027-01-20T08:11:20.7Z"}"#
                )
            )
        )

        let session = try await way.run(on: device).get()

        #expect(session.expiresAt == Timestamp(rfc3339: "2027-01-20T08:11:20.7Z"))
        #expect(device.engine.keeper.held?.stored.session == session)
    }

    @Test(arguments: WayIn.allCases)
    func `has the expiry of the login's answer where certificates do not change it`(_ way: WayIn) async throws
    {
        let device = try Device()

        let session = try await way.run(on: device).get()

        #expect(session.expiresAt == Timestamp(rfc3339: "2026-12-21T08:11:20.7Z"))
        #expect(!device.server.log.contains { $0.contains("whoami") })
    }

    @Test func `works with servers that say less than ours`() async throws {
        let device = try Device()
        device.server.plan(
            "POST /a/self-service/login",
            .answer(.json(200, #"{"session_token":"t","session":{"identity":{"id":"9a8c"}}}"#))
        )

        #expect(try await device.logIn(onlyAs: "customer").identity.id == "9a8c")
    }
}
