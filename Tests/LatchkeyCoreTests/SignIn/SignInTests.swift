import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Logging in` {
    private static let route = "PUT /identity/pki/client/certificates"
    private static let exchange = [
        "GET /a/self-service/login/api",
        "POST /a/self-service/login?flow=flow-login",
        route,
    ]

    @Test func `Logging in requests a flow, submits the password and enrols a certificate`() async throws {
        let device = try TestEngine()

        let session = try await device.logIn()

        #expect(device.server.log == Self.exchange)
        #expect(session.identity.schema == "customer")
        #expect(device.engine.keeper.held?.stored.session == session)
        #expect(device.store.bytes != nil)
        #expect(device.keys.living == [1])
    }

    @Test func `Logging in sends the request bodies that the contract defines`() async throws {
        let device = try TestEngine()

        _ = try await device.logIn()

        let requests = device.server.requests
        #expect(
            requests.prefix(2).map(\.text) == [
                "",
                #"{"identifier":"+439999999999","method":"password","password":"000000"}"#,
            ]
        )
        #expect(requests[2].certifies(key: 1, as: "9a8cbfb3-87bd-4087-b48d-2569b1b43386"))
        #expect(requests.map { $0.headers["Content-Type"] } == [nil, "application/json", "application/json"])
        #expect(requests.map { $0.headers["X-Session-Token"] } == [nil, nil, FakeIdentityServer.token])
    }

    @Test func `Logging in replaces the previous login and its key`() async throws {
        let device = try await TestEngine.loggedIn()

        _ = try await device.logIn()

        #expect(device.keys.living == [2])
        #expect(device.engine.keeper.held?.stored.key.exposed == [2])
    }

    @Test(arguments: [TransportError.Code.unreachable, .timedOut])
    func `The certificate request is retried after network errors`(_ code: TransportError.Code)
        async throws
    {
        let device = try TestEngine()
        device.server.plan(Self.route, .fail(code), .fail(code), .fail(code))

        let result = await device.advancing(Task { await outcome { try await device.logIn() } })

        #expect(result.error == nil)
        #expect(device.server.log == Self.exchange + [Self.route, Self.route, Self.route])
        #expect(Set(device.server.requests.suffix(4).map(\.text)).count == 1)
    }

    @Test(arguments: [("7", 7), ("10", 10), ("3600", 10)])
    func `Enrolment waits as long as the server asks, up to ten seconds`(_ asked: String, _ waited: Int)
        async throws
    {
        let device = try TestEngine()
        var busy = HTTP.Response(503)
        busy.headers["Retry-After"] = asked
        device.server.plan(Self.route, .respond(busy))
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
        (.respond(HTTP.Response(500)), 4, .serverFailed),
        (.fail(.untrusted), 1, .untrusted),
        (.respond(.refusal(400, "csr_invalid")), 1, .refused),
        (.respond(.refusal(401, "session_inactive")), 1, .sessionEnded),
        (.respond(.json(200, "{}")), 1, .invalidResponse),
    ])
    func `A login that gets no certificate doesn't leave a session or a key`(
        _ step: FakeIdentityServer.Step,
        _ attempts: Int,
        _ code: LatchkeyError.Code
    ) async throws {
        let device = try TestEngine()
        device.server.plan(Self.route, step, step, step, step)

        let result = await device.advancing(Task { await outcome { try await device.logIn() } })

        #expect(result.code == code)
        #expect(device.server.log.filter { $0 == Self.route }.count == attempts)
        #expect(device.isClean)
        #expect(device.store.count(of: .write) == 0)
    }

    @Test func `A failed login doesn't change the previous session`() async throws {
        let device = try await TestEngine.loggedIn()
        let before = device.store.bytes
        device.server.plan("POST /a/self-service/login", .fail(.unreachable))

        let result = await outcome { try await device.logIn() }

        #expect(result.code == .unreachable)
        #expect(device.store.bytes == before)
        #expect(device.engine.keeper.held != nil)
        #expect(device.keys.living == [1])
    }

    @Test func `Logging in to an account with a different schema doesn't store a session`()
        async throws
    {
        let device = try TestEngine()

        let result = await outcome { try await device.logIn(onlyAs: "business") }

        #expect(result.code == .schemaMismatch)
        #expect(result.error?.message.contains("customer") == true)
        #expect(device.server.log == Array(Self.exchange.prefix(2)))
        #expect(device.isClean)
    }

    @Test func `Logging in fails if the device key can't be created`() async throws {
        let device = try TestEngine()
        device.keys.fail(with: DeviceKeyError(.failed, message: "There is no entropy."))

        #expect(await outcome { try await device.logIn() }.code == .deviceKeyFailed)
        #expect(device.isClean)
    }

    @Test(arguments: [
        (DeviceKeyError.Code.unavailable, LatchkeyError.Retry.later), (.lost, .never), (.failed, .never),
    ])
    func `Only a key that is unavailable at the moment can be tried again later`(
        code: DeviceKeyError.Code,
        retry: LatchkeyError.Retry
    ) async throws {
        let device = try TestEngine()
        device.keys.fail(with: DeviceKeyError(code, message: "The key cannot be created."))

        let error = await outcome { try await device.logIn() }.error

        #expect(error?.code == .deviceKeyFailed && error?.retry == retry)
        #expect((error?.cause as? DeviceKeyError)?.code == code)
    }

    @Test func `Logging in fails if the device key can't sign`() async throws {
        let device = try TestEngine(keys: FakeDeviceKeys(isUsable: false))

        #expect(await outcome { try await device.logIn() }.code == .deviceKeyFailed)
        #expect(device.isClean)
    }

    @Test func `A login that can't be stored doesn't leave a session or a key`() async throws {
        let device = try TestEngine()
        device.store.fail(.write, with: SessionStoreError(.failed, message: "The disk is full."))

        let result = await outcome { try await device.logIn() }

        #expect(result.code == .storageFailed)
        #expect(device.isClean)
    }

    @Test(arguments: [SessionStoreError.Code.locked, .newer])
    func `A locked store prevents all login requests`(_ code: SessionStoreError.Code) async throws {
        let store = FaultInjectingStore()
        store.fail(.read, with: SessionStoreError(code, message: "As planned."))
        let device = try TestEngine(store: store)

        let result = await outcome { try await device.logIn() }

        #expect(result.code == .storageUnavailable)
        #expect(device.server.log == [])
    }

    @Test func `A record from a newer version prevents logins until the user signs out`()
        async throws
    {
        let store = FaultInjectingStore()
        _ = try store.memory.write(Array(#"{"version":3,"anything":1}"#.utf8), basedOn: 0)
        let device = try TestEngine(store: store)

        let error = await outcome { try await device.logIn() }.error

        #expect(error?.code == .storageUnavailable && error?.retry == .never)
        #expect(error?.message.contains("The session was stored by a newer version of the app") == true)
        #expect(error?.message.contains("sign out to replace the record") == true)
        #expect(device.server.log == [])
        #expect(device.engine.keeper.signOut() == nil)
        _ = try await device.logIn()
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `Logging in replaces a damaged record`() async throws {
        let device = try TestEngine()
        _ = try device.store.memory.write(Array("{".utf8), basedOn: 0)

        _ = try await device.logIn()

        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held != nil)
    }

    @Test func `Logging in replaces a record that another process has just written`() async throws {
        let device = try TestEngine()
        device.store.during(.write) { [store = device.store] in
            _ = try? store.memory.write(Array("{}".utf8), basedOn: 0)
        }

        _ = try await device.logIn()

        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held != nil)
    }

    @Test(arguments: WayIn.allCases)
    func `The expiry date is taken from the certificate response`(_ way: WayIn) async throws {
        let device = try TestEngine()
        device.server.plan(
            Self.route,
            .respond(
                .json(
                    200,
                    #"{"certificate":"PEM","chain":[],"notAfter":"2026-05-30T00:00:00Z","#
                        + #""sessionExpiresAt":"2027-01-20T08:11:20.7Z"}"#
                )
            )
        )

        let session = try await way.run(on: device).get()

        #expect(session.expiresAt == Timestamp(rfc3339: "2027-01-20T08:11:20.7Z")?.date)
        #expect(device.engine.keeper.held?.stored.session == session)
    }

    @Test(arguments: WayIn.allCases)
    func `The expiry date is taken from the login response if the certificate has none`(
        _ way: WayIn
    ) async throws {
        let device = try TestEngine()

        let session = try await way.run(on: device).get()

        #expect(session.expiresAt == Timestamp(rfc3339: "2026-12-21T08:11:20.7Z")?.date)
        #expect(!device.server.log.contains { $0.contains("whoami") })
    }

    @Test func `Responses without optional members are accepted`() async throws {
        let device = try TestEngine()
        device.server.plan(
            "POST /a/self-service/login",
            .respond(.json(200, #"{"session_token":"t","session":{"identity":{"id":"9a8c"}}}"#))
        )

        #expect(try await device.logIn(onlyAs: "customer").identity.id == "9a8c")
    }
}
