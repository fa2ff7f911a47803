import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Session checks` {
    private static let whoami = "GET /a/sessions/whoami"

    @Test func `A check sends a single whoami request`() async throws {
        let device = try await TestEngine.loggedIn()

        let state = try await device.engine.check()

        #expect(state.session?.identity.name?.first == "User")
        #expect(device.server.log == [Self.whoami])
        #expect(device.server.requests[0].headers["X-Session-Token"] == FakeIdentityServer.token)
    }

    @Test func `A check doesn't send any requests if there is no session`() async throws {
        let device = try TestEngine()

        #expect(try await device.engine.check().session == nil)
        #expect(device.server.log == [])
    }

    @Test func `Concurrent checks end an inactive session only once`() async throws {
        let device = try await TestEngine.loggedIn()
        let events = Locked<[Bool]>([])
        let observer = device.engine.keeper.observe { event in
            events.withLock { $0.append(event.state.session != nil) }
        }
        for _ in 1...8 { device.server.plan(Self.whoami, .respond(.refusal(401))) }

        await withTaskGroup { group in
            for _ in 1...8 { group.addTask { _ = try? await device.engine.check() } }
        }

        #expect(events.withLock { $0 } == [true, false])
        #expect(device.isClean)
        withExtendedLifetime(observer) {}
    }

    @Test(arguments: [
        FakeIdentityServer.Step.fail(.unreachable), .fail(.timedOut), .fail(.untrusted),
        .respond(.refusal(500)), .respond(.refusal(503)),
        .respond(.refusal(403, "device_certificate_required")),
        .respond(.refusal(403, "session_inactive")), .respond(.refusal(503, "session_inactive")),
        .respond(.refusal(404)), .respond(.json(200, "{}")), .respond(HTTP.Response(302)),
        .respond(.json(401, "<html>Please pay for your Wi-Fi.</html>")),
        .respond(.json(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED","message":"No key."}}"#)),
        .respond(.json(401, #"{"error":{"code":"401","status":"Unauthorized","message":"No."}}"#)),
        .respond(.json(401, #"{"error":{"id":"no_key","code":401,"status":"Unauthorized"}}"#)),
        .respond(.json(401, #"{"error":"invalid_token"}"#)), .respond(.json(401, #"{"code":401}"#)),
        .respond(.json(200, #"{"error":{"id":"session_inactive","code":401,"status":"Unauthorized"}}"#)),
    ])
    func `Other failures during a check don't end the session`(_ step: FakeIdentityServer.Step) async throws {
        let device = try await TestEngine.loggedIn()
        let before = device.store.bytes
        device.server.plan(Self.whoami, step)

        let error = await outcome { try await device.engine.check() }.error

        #expect(error != nil)
        #expect(device.engine.keeper.settled(try #require(error)).isStillSignedIn)
        #expect(device.engine.keeper.held != nil)
        #expect(device.store.bytes == before)
        #expect(device.store.count(of: .remove) == 0)
    }

    @Test func `A check doesn't end a login that completed after the check started`() async throws {
        let device = try await TestEngine.loggedIn()
        let keeper = device.engine.keeper
        let old = try #require(keeper.held)
        _ = try await device.logIn()

        await keeper.end(old, because: "As planned.")

        #expect(keeper.held != nil && device.store.bytes != nil)
    }

    @Test func `A check stores a changed profile`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan(Self.whoami, .respond(.json(200, FakeIdentityServer.session(first: "Renamed"))))

        let state = try await device.engine.check()

        #expect(state.session?.identity.name?.first == "Renamed")
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.state.session?.identity.name?.first == "Renamed")
    }

    @Test func `A check detects a sign-out in another process without sending a request`() async throws {
        let device = try await TestEngine.loggedIn()
        try device.store.memory.remove()

        #expect(try await device.engine.check().session == nil)
        #expect(device.server.log == [])
    }

    @Test func `If the store can't be read, checking a known session doesn't end the session`() async throws {
        let device = try await TestEngine.loggedIn()
        device.store.fail(.read, with: SessionStoreError(.locked, message: "Locked."))

        #expect(try await device.engine.check().session != nil)
    }

    @Test func `A check fails if the store can't be read and no session is known`() async throws {
        let store = FaultInjectingStore()
        store.fail(.read, with: SessionStoreError(.locked, message: "Locked."))
        let device = try TestEngine(store: store)

        #expect(await outcome { try await device.engine.check() }.code == .storageUnavailable)
        store.fail(.read, with: nil)
        #expect(await outcome { try await device.engine.check() }.error == nil)
    }
}
