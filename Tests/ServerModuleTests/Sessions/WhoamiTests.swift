import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `The whoami route` {
    @Test func `A request only needs a single database read`() async throws {
        let server = try await SelfServiceServer()
        let token = try await server.register()["session_token"]?.text
        let counts = await server.database.counts { _ = await server.get("/sessions/whoami", token: token) }
        #expect(counts == CountingDatabase.Counts(reads: 1))
    }

    @Test func `The id of the identity is also returned in a header`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let answer = await server.get("/sessions/whoami", headers: ["Authorization": "Bearer \(token)"])
        #expect(answer.status == 200)
        #expect(answer.response.headers["Content-Type"] == "application/json; charset=utf-8")
        #expect(
            answer.response.headers["Cache-Control"] == "private, no-cache, no-store, must-revalidate"
        )
        #expect(
            answer.response.headers["X-Kratos-Authenticated-Identity-Id"] == answer["identity"]?["id"]?.text
        )
    }

    @Test(arguments: [("?tokenize_as=jwt", 400), ("?tokenize_as=", 200)])
    func `Creating tokens from templates isn't supported`(query: String, status: Int) async throws {
        let server = try await SelfServiceServer()
        let token = try await server.register()["session_token"]?.text
        #expect(await server.get("/sessions/whoami" + query, token: token).status == status)
        #expect(await server.get("/sessions/whoami" + query).status == 401)
    }

    @Test(arguments: ["none", "unknown", "revoked", "expired", "disabled", "cookie"])
    func `A request without an active session is rejected`(_ kind: String) async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        var headers: HTTP.Headers = ["X-Session-Token": token]
        switch kind {
        case "none": headers = [:]
        case "cookie": headers = ["Cookie": "ory_kratos_session=\(token)"]
        case "unknown": headers = ["X-Session-Token": token + "x"]
        case "revoked":
            _ = try await server.delete(
                "/self-service/logout/api",
                .object(["session_token": .string(token)])
            )
        case "expired": server.time.advance(by: .seconds(30 * 86_400))
        default:
            try await server.resources.database.transaction {
                _ = try $0.execute("UPDATE identities SET state = 'inactive'")
            }
        }
        let answer = await server.get("/sessions/whoami", headers: headers)
        #expect(answer.status == 401)
        #expect(answer.errorID == nil)
        #expect(answer["error"]?["code"] == .integer(401))
        #expect(answer["error"]?["status"] == "Unauthorized")
        #expect(answer.response.headers["X-Kratos-Authenticated-Identity-Id"] == nil)
        #expect(answer.response.headers["Content-Type"] == "application/json")
    }

    @Test func `A session is accepted until it expires`() async throws {
        let server = try await SelfServiceServer()
        let token = try await server.register()["session_token"]?.text
        server.time.advance(by: .seconds(30 * 86_400) - .microseconds(1))
        #expect(await server.get("/sessions/whoami", token: token).status == 200)
    }

    @Test(arguments: [
        ("curl/8.0", "curl/8.0"), ("a\u{7F}b\u{1}c", "abc"),
        (String(repeating: "é", count: 400), String(repeating: "é", count: 256)),
        ("", ""),
    ]) func `Long user agents are shortened and control characters are removed`(
        _ userAgent: String,
        _ shown: String
    )
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let answer = try await server.submit(
            .login,
            await server.begin(.login),
            .object([
                "method": "password", "identifier": "person1@example.org",
                "password": .string(SelfServiceServer.password),
            ]),
            from: "2001:db8::1",
            headers: ["User-Agent": userAgent]
        )
        guard case .array(let devices)? = answer["session"]?["devices"] else {
            Issue.record("no devices")
            return
        }
        #expect(devices.first?["user_agent"]?.text == shown)
        #expect(devices.first?["ip_address"]?.text == "[2001:db8::1]:40000")
        #expect(devices.first?["location"] == "")
        #expect(
            Set(devices.first?.members?.keys ?? [:].keys) == ["id", "ip_address", "user_agent", "location"]
        )
    }
}
