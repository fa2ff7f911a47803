import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Logging out` {
    @Test func `Logging out ends the session, and logging out again succeeds`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let other = try #require(try await server.login()["session_token"]?.text)
        for _ in 0..<2 {
            let answer = try await server.delete(
                "/self-service/logout/api",
                .object(["session_token": .string(token), "more": .integer(1)])
            )
            #expect(answer.status == 204)
            #expect(answer.response.body.isEmpty)
            #expect(answer.response.headers["Content-Type"] == nil)
        }
        #expect(await server.get("/sessions/whoami", token: token).status == 401)
        #expect(await server.get("/sessions/whoami", token: other).status == 200)
    }

    @Test(arguments: [
        (JSONValue.object(["session_token": "lk_st_unknown"]), 403), (.object([:]), 403),
        (.object(["session_token": .null]), 403), (.object(["session_token": .integer(5)]), 400),
        (.array([]), 400), ("x", 400),
    ]) func `Logging out requires a known token`(_ body: JSONValue, _ status: Int) async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.delete("/self-service/logout/api", body)
        #expect(answer.status == status)
        #expect(answer.errorID == nil)
        #expect(answer["error"]?["code"] == .integer(Int64(status)))
        #expect(answer.response.headers["Content-Type"] == "application/json")
    }

    @Test(arguments: ["", "{", "null"]) func `The body of a logout request must be an object`(_ body: String)
        async throws
    {
        let server = try await SelfServiceServer()
        var request = HTTP.Request(
            .delete,
            "/a/self-service/logout/api",
            headers: ["Content-Type": "application/json", "X-Session-Token": "x"]
        )
        request.body = Array(body.utf8)
        #expect(await server.send(request).status == 400)
    }

    @Test func `A provisional session can be logged out`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        try await server.resources.database.transaction {
            _ = try $0.execute("UPDATE sessions SET needs_certificate = 1")
        }
        let body = JSONValue.object(["session_token": .string(token)])
        #expect(try await server.delete("/self-service/logout/api", body).status == 204)
        #expect(await server.get("/sessions/whoami", token: token).status == 401)
    }
}
