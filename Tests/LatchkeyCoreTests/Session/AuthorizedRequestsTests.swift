import LatchkeyCore
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A request in the person's name` {
    private static let foreign = "https://api.example.com"

    @Test func `carries the token to the app's own API`() async throws {
        let device = try await Device.loggedIn()
        device.server.plan("GET /me", .answer(.json(200, "{}")))

        let answer = try await device.engine.requests.send(HTTPRequest(.get, "/me"), to: Self.foreign)

        #expect(answer.status == 200)
        #expect(device.server.origins.last == Self.foreign)
        #expect(device.server.requests[0].headers["Authorization"] == "Bearer \(FakeIdentityServer.token)")
    }

    @Test func `is not sent when nobody is logged in`() async throws {
        let device = try Device()

        let result = await outcome {
            try await device.engine.requests.send(HTTPRequest(.get, "/me"), to: Self.foreign)
        }

        #expect(result.code == .signedOut)
        #expect(device.server.log == [])
    }

    @Test func `that another server answers with 401 makes the client ask, and is passed on`() async throws {
        let device = try await Device.loggedIn()
        device.server.plan("GET /me", .answer(.refusal(401)))

        let answer = try await device.engine.requests.send(HTTPRequest(.get, "/me"), to: Self.foreign)

        #expect(answer.status == 401)
        #expect(device.server.log == ["GET /me", "GET /a/sessions/whoami"])
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `ends the session when the identity server confirms it`() async throws {
        let device = try await Device.loggedIn()
        device.server.plan("GET /me", .answer(.refusal(401)))
        device.server.plan("GET /a/sessions/whoami", .answer(.refusal(401)))

        _ = try await device.engine.requests.send(HTTPRequest(.get, "/me"), to: Self.foreign)

        #expect(device.isClean)
    }

    @Test func `that the identity server answers with 401 ends the session without another question`()
        async throws
    {
        let device = try await Device.loggedIn()
        device.server.plan("GET /a/sessions", .answer(.refusal(401)))

        _ = try await device.engine.requests.send(
            HTTPRequest(.get, "/a/sessions"),
            to: FakeIdentityServer.origin
        )

        #expect(device.server.log == ["GET /a/sessions"])
        #expect(device.isClean)
    }

    @Test func `to an API behind the identity server's own host proves nothing by its 401`() async throws {
        let device = try await Device.loggedIn()
        device.server.plan("GET /shop", .answer(.refusal(401)))

        _ = try await device.engine.requests.send(HTTPRequest(.get, "/shop"), to: FakeIdentityServer.origin)

        #expect(device.server.log == ["GET /shop", "GET /a/sessions/whoami"])
        #expect(device.engine.keeper.held != nil)
    }
}
