import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire
import Testing

@Suite struct `Login` {
    @Test(arguments: ["person1@example.org", " Person1@Example.ORG ", "+46701000001", "+46 70 100-00-01"])
    func `opens a session for the right password`(_ identifier: String) async throws {
        let server = try await FlowServer()
        try await server.register()
        let answer = try await server.login(identifier)
        #expect(answer.status == 200)
        #expect(answer["continue_with"] == .null)
        let token = try #require(answer["session_token"]?.text)
        #expect(token.hasPrefix("lk_st_"))
        let whoami = await server.get("/sessions/whoami", token: token)
        #expect(whoami.status == 200)
        #expect(whoami.body == answer["session"])
        #expect(
            whoami.response.headers["X-Kratos-Authenticated-Identity-Id"]
                == whoami["identity"]?["id"]?.text
        )
        #expect(server.reported.withLock { $0 } == [])
    }
}
