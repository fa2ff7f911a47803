import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Test devices` {
    private static let phone = "+439999999999"

    @Test func `Apps on the same device share a store, a network and a clock`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Self.phone, passcode: "246810")
        let device = TestDevice(server)
        try await device.client().signIn(phone: Self.phone, password: "246810")

        let restarted = try device.client()
        #expect(try await restarted.checkSession().session != nil)
        let other = try TestDevice(server).client()
        #expect(try await other.checkSession().session == nil)
        #expect(device.network.exchanges.last?.request.path == "/a/sessions/whoami")
        await server.stop()
    }

    @Test func `The device clock follows the server's clock with an adjustable skew`() async throws {
        let server = try await TestServer()
        let device = TestDevice(server)
        #expect(device.clock.now == server.time.now)

        device.clock.skew = .seconds(-7200)
        #expect(device.clock.now == server.time.now - .seconds(7200))
        let clock = device.clock
        let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
        await server.time.sleepers(atLeast: 1)
        server.time.advance(by: .seconds(5))
        try await sleeper.value
        await server.stop()
    }

    @Test func `Tests can lock and unlock the device's store`() throws {
        let store = MemoryStore()
        let generation = try store.write([1], basedOn: 0)
        store.lock()
        guard case .unavailable(let error) = store.read() else {
            Issue.record("The store is not locked.")
            return
        }
        #expect(error.code == .locked)
        #expect(throws: SessionStoreError.self) { try store.write([2], basedOn: generation) }

        store.unlock()
        guard case .present([1], generation) = store.read() else {
            Issue.record("The store has lost its record.")
            return
        }
    }

    @Test func `A sign-out on a locked device is final`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Self.phone, passcode: "246810")
        let device = TestDevice(server)
        let client = try device.client()
        try await client.signIn(phone: Self.phone, password: "246810")
        device.store.lock()

        #expect(client.signOut().storageFailure == nil)
        #expect(await client.storage.isErasurePending)
        #expect(try await device.client().checkSession() == .signedOut)

        device.store.unlock()
        #expect(try await device.client().checkSession() == .signedOut)
        #expect(await !client.storage.isErasurePending)
        // The device can be used for the next login.
        try await client.signIn(phone: Self.phone, password: "246810")
        #expect(try device.client().sessionState.session != nil)
        await server.stop()
    }

    @Test func `A restarted app can explain what happened before the restart`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Self.phone, passcode: "246810")
        let device = TestDevice(server)
        let client = try device.client()
        try await client.signIn(phone: Self.phone, password: "246810")
        // The journal is written in the background. This call waits until that is done.
        _ = await client.explain()

        let restarted = try device.client()
        #expect(await restarted.explain().entries.map(\.kind) == [.signedIn])

        restarted.signOut()
        #expect(try await device.client().explain().entries == [])
        await server.stop()
    }

    @Test func `Each account slot has its own session`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Self.phone, passcode: "246810")
        let device = TestDevice(server)
        try await device.client(slot: .named("work")).signIn(phone: Self.phone, password: "246810")

        #expect(try device.client().sessionState == .signedOut)
        #expect(try device.client(slot: .named("home")).sessionState == .signedOut)
        #expect(try device.client(slot: .named("work")).sessionState.session != nil)
        device.store(for: .named("work")).lock()
        #expect(try device.client(slot: .named("work")).sessionState.session == nil)
        #expect(device.store(for: .default) === device.store)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `An app can choose whether a sign-out revokes the session`(revokes: Bool) async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Self.phone, passcode: "246810")
        let device = TestDevice(server)
        let log = EventNames()
        let client = try device.client(revokesSessions: revokes, logger: log)
        try await client.signIn(phone: Self.phone, password: "246810")

        #expect(await client.signOutAndRevoke().isRevoked == revokes)
        #expect(log.names.contains("session.signed-out"))
        await server.stop()
    }

    @Test func `Faults can be injected into requests to the app's own servers`() async throws {
        let server = try await TestServer()
        let network = TestDevice(server).network
        let api = "https://api.example.com"
        let request = HTTP.Request(.get, "/me")
        await #expect(throws: TransportError.self) { try await network.send(request, to: api) }

        network.serve(api) { HTTP.Response($0.path == "/me" ? 204 : 404) }
        #expect(try await network.send(request, to: api).status == 204)
        network.inject(.respond(503), on: .get, "/me")
        #expect(try await network.send(request, to: api).status == 503)
        #expect(try await network.send(request, to: api).status == 204)
        await server.stop()
    }

    @Test func `A server with a seed sends reproducible codes`() async throws {
        var codes: Set<String> = []
        for _ in 0..<2 {
            let server = try await TestServer(random: SeededRandom(seed: 7))
            let client = try TestDevice(server, random: SeededRandom(seed: 8)).client()
            _ = try await client.signUp.begin(phone: Self.phone)
            codes.insert(try await server.code(for: Self.phone))
            await server.stop()
        }
        #expect(codes.count == 1)
    }
}

/// A logger that stores the names of the events.
private final class EventNames: LatchkeyLogger {
    private let recorded = Locked<[String]>([])

    var names: [String] { recorded.withLock { $0 } }

    func log(_ event: LogEvent) {
        recorded.withLock { $0.append(event.name) }
    }
}
