import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `The clean-up` {
    private func cleanUp(_ server: FlowServer, batch: Int = 3) throws -> CleanUp {
        var options = CleanUpOptions()
        options.batch = batch
        return CleanUp(
            server.context,
            courier: try Courier(server.context, delivery: server.inbox),
            options: options
        )
    }

    @Test func `deletes what is over, and nothing that is not`() async throws {
        let server = try await FlowServer { $0.limits = .lifted }
        let token = try #require(try await server.register()["session_token"]?.text)
        for _ in 0..<7 {
            let flow = await server.begin(.login)
            _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        }
        await server.messagesAreSent()
        let cleanUp = try cleanUp(server)
        let early = try await cleanUp.round()
        #expect(early?.flows == 0 && early?.codes == 0 && early?.sessions == 0 && early?.messages == 0)
        server.time.advance(by: .seconds(2 * 86_400))
        let later = try await cleanUp.round()
        // The registration's flow, too.
        #expect(later?.flows == 8)
        #expect(later?.codes == 7)
        #expect(later?.sessions == 0)
        #expect(try await server.count("flows") == 0)
        #expect(await server.get("/sessions/whoami", token: token).status == 200)
        server.time.advance(by: .seconds(8 * 86_400))
        #expect(try await cleanUp.round()?.messages == 7)
        server.time.advance(by: .seconds(60 * 86_400))
        #expect(try await cleanUp.round()?.sessions == 1)
        #expect(try await server.count("sessions") == 0)
        #expect(try await server.count("identities") == 1)
    }

    @Test func `keeps flows refused that it has deleted`() async throws {
        let server = try await FlowServer()
        let flow = await server.begin(.registration)
        let body = JSONValue.object([
            "method": "password", "password": .string(FlowServer.password), "traits": FlowServer.traits(),
        ])
        #expect(try await server.submit(.registration, flow, body).status == 200)
        server.time.advance(by: .seconds(2 * 86_400))
        #expect(try await cleanUp(server).round()?.flows == 1)
        #expect(try await server.submit(.registration, flow, body).status == 410)
    }

    @Test func `deletes counts that matter no more`() async throws {
        let server = try await FlowServer()
        _ = try await server.login("person1@example.org", "wrong-password")
        let cleanUp = try cleanUp(server)
        #expect(try await cleanUp.round()?.limits == 0)
        server.time.advance(by: .seconds(86_400))
        #expect(try await cleanUp.round()?.limits == 2)
    }

    @Test func `is done by one of many at a time`() async throws {
        let server = try await FlowServer()
        let nodes = try (0..<10).map { _ in try cleanUp(server) }
        let done = try await withThrowingTaskGroup(of: Bool.self) { group in
            for node in nodes { group.addTask { try await node.round() != nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done == 1)
        // A node that died holds nobody up for long.
        server.time.advance(by: .seconds(300))
        #expect(try await nodes[3].round() != nil)
    }
}
