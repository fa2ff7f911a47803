import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Re-authentication with a password` {
    private let credentials = JSONValue.object([
        "method": "password", "identifier": "person1@example.org",
        "password": .string(SelfServiceServer.password),
    ])

    @Test func `Re-authentication extends the existing session and returns a new token`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let before = await server.get("/sessions/whoami", token: token)
        server.time.advance(by: .seconds(3600))
        let flow = await server.begin(.login, "?refresh=true", token: token)
        let answer = try await server.submit(.login, flow, credentials, token: token)
        #expect(answer.status == 200)
        let renewed = try #require(answer["session_token"]?.text)
        #expect(renewed != token)
        let after = await server.get("/sessions/whoami", token: renewed)
        #expect(after.body == answer["session"])
        #expect(after["id"] == before["id"])
        #expect(after["issued_at"] == before["issued_at"])
        #expect(after["authenticated_at"]?.text == server.time.now.description)
        #expect(after["expires_at"]?.text == (server.time.now + .seconds(30 * 86_400)).description)
        #expect(try await server.submit(.login, flow, credentials, token: token).status == 410)
    }

    @Test func `A wrong password leaves the session unchanged`() async throws {
        let server = try await SelfServiceServer { $0.codes.isLoginEnabled = false }
        let token = try #require(try await server.register()["session_token"]?.text)
        let before = await server.get("/sessions/whoami", token: token)
        server.time.advance(by: .seconds(3600))
        let flow = await server.begin(.login, "?refresh=true", token: token)
        let answer = try await server.submit(
            .login,
            flow,
            .object(["method": "password", "identifier": "person1@example.org", "password": "wrong-password"]
            ),
            token: token
        )
        #expect(answer.messages == [.invalidCredentials])
        #expect(answer["refresh"] == .bool(true))
        #expect(answer.node("identifier")?["attributes"]?["type"] == "hidden")
        #expect(answer.label("method") == .signIn)
        #expect(await server.get("/sessions/whoami", token: token).body == before.body)
    }

    @Test func `Re-authenticating without the user's own token creates a new session`() async throws {
        let server = try await SelfServiceServer()
        let registered = try await server.register(1)
        let first = try #require(registered["session_token"]?.text)
        let second = try #require(try await server.register(2)["session_token"]?.text)
        let others = await server.get("/sessions/whoami", token: second)
        for token in [second, nil] {
            let flow = await server.begin(.login, "?refresh=true", token: first)
            let answer = try await server.submit(.login, flow, credentials, token: token)
            #expect(answer.status == 200)
            #expect(answer["session_token"]?.text != first)
            #expect(answer["session_token"]?.text != second)
            #expect(answer["session"]?["id"] != others["id"])
            let session = await server.get("/sessions/whoami", token: answer["session_token"]?.text)
            #expect(session["identity"]?["id"] == registered["identity"]?["id"])
            #expect(await server.get("/sessions/whoami", token: second).body == others.body)
        }
    }

    @Test func `The form of a refused re-authentication doesn't contain the identity`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let flow = await server.begin(.login, "?refresh=true", token: token)
        let answer = try await server.submit(.login, flow, .object(["method": "password"]), token: token)
        #expect(answer.status == 400)
        #expect(answer["ui"] != nil && answer["identity"] == nil)
    }

    @Test func `Re-authentication at aal2 is rejected because there is no second factor`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let flow = await server.begin(.login, "?aal=aal2", token: token)
        let answer = try await server.submit(.login, flow, credentials, token: token)
        #expect(answer.status == 404)
        #expect(answer.fields.isEmpty)
    }
}
