import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Authorized requests` {
    private static let foreign = "https://api.example.com"

    @Test func `A request to the app's own API contains the token`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan("GET /me", .respond(.json(200, "{}")))

        let answer = try await device.engine.requests.send(HTTP.Request(.get, "/me"), to: Self.foreign)

        #expect(answer.status == 200)
        #expect(device.server.origins.last == Self.foreign)
        #expect(device.server.requests[0].headers["Authorization"] == "Bearer \(FakeIdentityServer.token)")
    }

    @Test func `A request isn't sent if there is no session`() async throws {
        let device = try TestEngine()

        let result = await outcome {
            try await device.engine.requests.send(HTTP.Request(.get, "/me"), to: Self.foreign)
        }

        #expect(result.code == .signedOut)
        #expect(device.server.log == [])
    }

    @Test(arguments: [
        "https://evil.example", "https://api.example.com.evil.example", "https://api.example.com:8443",
        "http://localhost", "https://example.com",
    ])
    func `A request to an origin that the app hasn't listed isn't sent`(_ origin: String) async throws {
        let device = try await TestEngine.loggedIn()

        let result = await outcome { try await device.send("/me", to: origin) }

        #expect(result.code == .originNotAllowed)
        #expect(result.error?.message.contains(origin) == true)
        #expect(device.server.log == [])
    }

    @Test(arguments: ["https://API.example.com", "https://api.example.com:443", "HTTPS://api.example.com"])
    func `Equivalent spellings of a listed origin are accepted`(_ origin: String) async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan("GET /me", .respond(.json(200, "{}")))

        #expect(try await device.send("/me", to: origin).status == 200)
        #expect(device.server.origins.last == Self.foreign)
    }

    @Test(arguments: [
        "https://api.example.com/", "https://api.example.com/v1", "https://api.example.com?x",
        "https://user@api.example.com", "http://api.example.com", "api.example.com", "",
    ])
    func `A request to an invalid or unencrypted origin isn't sent`(_ origin: String) async throws {
        let device = try await TestEngine.loggedIn()

        let result = await outcome { try await device.send("/me", to: origin) }

        #expect(result.code == .invalidInput)
        #expect(device.server.log == [])
    }

    @Test(arguments: [
        "", "me", "@evil.example/x", ".evil.example/x", ":8443/x", "//evil.example/x", "/a b", "/a?b",
    ])
    func `A path that is malformed or points to another server is rejected`(_ path: String) async throws {
        let device = try await TestEngine.loggedIn()

        let result = await outcome { try await device.send(path, to: Self.foreign) }

        #expect(result.code == .invalidInput)
        #expect((result.error?.cause as? TransportError)?.code == .invalidRequest)
        #expect(device.server.log == [] && device.server.refusals == 0)
    }

    @Test func `A 401 is returned immediately and the session is checked in the background`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan("GET /me", .respond(.refusal(401)))

        let answer = try await device.send("/me", to: Self.foreign)
        await device.maintenanceEnds()

        #expect(answer.status == 401)
        #expect(device.server.log == ["GET /me", "GET /a/sessions/whoami"])
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `A 401 ends the session if the identity server confirms it`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan("GET /me", .respond(.refusal(401)))
        device.server.plan("GET /a/sessions/whoami", .respond(.refusal(401)))

        _ = try await device.send("/me", to: Self.foreign)
        await device.maintenanceEnds()

        #expect(device.isClean)
    }

    @Test(arguments: [
        ("/a/sessions", "session_inactive"), ("/a/sessions/whoami", nil),
        ("/a/sessions/whoami", "session_inactive"), ("/a/sessions/0b2d", "session_inactive"),
        ("/a/self-service/settings/api", "session_inactive"),
        ("/a/self-service/settings", "session_inactive"),
        ("/identity/pki/client/certificates", "session_inactive"),
    ])
    func `A 401 from a known route of the identity server ends the session immediately`(
        path: String,
        id: String?
    ) async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan("GET \(path)", .respond(.refusal(401, id)))

        _ = try await device.send(path, to: FakeIdentityServer.origin)

        #expect(device.server.log == ["GET \(path)"])
        #expect(device.isClean)
    }

    @Test(
        arguments: ["/a", ""],
        [
            "/shop", "/a/shop", "/sessionsandmore", "/a/sessionsandmore", "/identity/me",
            "/self-service/login",
            "/sessions/../shop", "/sessions/..", "/a/sessions/..", "/sessionsand/more",
            "/a/sessionsand/more", "/sessions/0b2d/more", "/a/sessions/0b2d/more",
        ]
    )
    func `A 401 from an app API on the identity server's host doesn't end the session`(
        basePath: String,
        path: String
    ) async throws {
        let device = try TestEngine(basePath: basePath)
        _ = try await device.logIn()
        device.server.plan("GET \(path)", .respond(.refusal(401, "session_inactive")))

        _ = try await device.send(path, to: FakeIdentityServer.origin)
        await device.maintenanceEnds()

        #expect(device.engine.keeper.held != nil)
    }

    @Test func `A 401 from whoami on another origin doesn't end the session`()
        async throws
    {
        let device = try await TestEngine.loggedIn()
        let whoami = "GET /a/sessions/whoami"
        device.server.plan(whoami, .respond(.refusal(401, "session_inactive")))

        _ = try await device.send("/a/sessions/whoami", to: Self.foreign)
        await device.maintenanceEnds()

        #expect(device.server.log == [whoami, whoami])
        #expect(device.server.origins.suffix(2) == [Self.foreign, FakeIdentityServer.origin])
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `The session is checked only once when 1,000 requests get a 401`() async throws {
        let device = try await TestEngine.loggedIn()
        let time = device.time
        device.server.respond(to: "GET /me", with: .refusal(401))
        let start = time.now

        for _ in 1...1000 {
            #expect(try await device.send("/me", to: Self.foreign).status == 401)
            await device.maintenanceEnds()
            time.advance(by: .milliseconds(59))
        }

        #expect(time.now - start == .seconds(59))
        #expect(device.server.log.count { $0 == "GET /a/sessions/whoami" } == 1)
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `Pauses between checks grow when an API always responds with 401`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.respond(to: "GET /me", with: .refusal(401))

        for _ in 1...(24 * 60) {
            _ = try await device.send("/me", to: Self.foreign)
            await device.maintenanceEnds()
            device.time.advance(by: .seconds(60))
        }

        // The delay between checks doubles from one minute (1, 2, 4, …) up to one hour.
        let checks = device.server.log.count { $0 == "GET /a/sessions/whoami" }
        #expect((24...30).contains(checks))
    }

    @Test func `The delay between retries of a failed check increases`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.respond(to: "GET /me", with: .refusal(401))
        device.server.respond(to: "GET /a/sessions/whoami", with: HTTP.Response(503))

        for _ in 1...(24 * 60) {
            _ = try await device.send("/me", to: Self.foreign)
            await device.maintenanceEnds()
            device.time.advance(by: .seconds(60))
        }

        let checks = device.server.log.count { $0 == "GET /a/sessions/whoami" }
        #expect((24...30).contains(checks))
    }

    @Test(arguments: [FakeIdentityServer.Step.respond(HTTP.Response(503)), nil])
    func `The delay between checks of a session doesn't carry over to the next login`(
        _ step: FakeIdentityServer.Step?
    ) async throws {
        let whoami = "GET /a/sessions/whoami"
        let device = try await TestEngine.loggedIn()
        device.server.respond(to: "GET /me", with: .refusal(401))
        device.server.hold(whoami)
        if let step { device.server.plan(whoami, step) }
        _ = try await device.send("/me", to: Self.foreign)
        _ = try await device.logIn()
        _ = try await device.send("/me", to: Self.foreign)
        device.server.release()
        await device.maintenanceEnds()
        device.server.forgetRequests()

        _ = try await device.send("/me", to: Self.foreign)
        await device.maintenanceEnds()

        #expect(device.server.log == ["GET /me", whoami])
    }

    @Test func `A 401 from one API is checked even after 401s from another API`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.respond(to: "GET /me", with: .refusal(401))
        _ = try await device.send("/me", to: "https://broken.example.com")
        await device.maintenanceEnds()
        device.time.advance(by: .seconds(76))
        _ = try await device.send("/me", to: "https://broken.example.com")
        await device.maintenanceEnds()
        device.time.advance(by: .seconds(76))
        device.server.forgetRequests()

        _ = try await device.send("/me", to: "https://broken.example.com")
        await device.maintenanceEnds()
        #expect(device.server.log == ["GET /me"])

        _ = try await device.send("/me", to: Self.foreign)
        await device.maintenanceEnds()
        #expect(device.server.log == ["GET /me", "GET /me", "GET /a/sessions/whoami"])
    }

    @Test func `Requests don't wait for a session check that gets no response`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.respond(to: "GET /me", with: .refusal(401))
        device.server.hold("GET /a/sessions/whoami")

        for _ in 1...100 { #expect(try await device.send("/me", to: Self.foreign).status == 401) }
        device.server.release()
        await device.maintenanceEnds()

        #expect(device.server.log.count { $0 == "GET /a/sessions/whoami" } == 1)
    }
}

extension TestEngine {
    fileprivate func send(_ path: String, to origin: String) async throws -> HTTP.Response {
        try await engine.requests.send(HTTP.Request(.get, path), to: origin)
    }
}
