import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Signing up with a phone number` {
    private let server: TestServer
    private let client: SignUpClient
    private let phone = SignUpClient.phone

    init() async throws {
        server = try await TestServer()
        client = SignUpClient(server)
    }

    @Test func `Signing up requires a verified phone number`() async throws {
        let flow = try await client.begin()
        try await expectMessageOnPhone(client.finish(flow))
        #expect(try await client.start(flow).status == 201)
        try await expectMessageOnPhone(client.finish(flow))
        #expect(try await count("identities") == 0)
    }

    @Test func `The phone number must be the one that was verified in the flow`() async throws {
        let flow = try await verifiedFlow()
        try await expectMessageOnPhone(client.finish(flow, phone: "+4311111111"))
        #expect(try await client.finish(flow).status == 200)
    }

    @Test func `A verification from a different flow is rejected`() async throws {
        _ = try await verifiedFlow()
        try await expectMessageOnPhone(client.finish(client.begin()))
    }

    @Test func `Submitting a flow many times at once creates only one account and one session`() async throws
    {
        let flow = try await verifiedFlow()
        let responses = try await withThrowingTaskGroup(of: HTTP.Response.self) { group in
            for _ in 0..<20 { group.addTask { [client] in try await client.finish(flow) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.filter { $0.status == 200 }.count == 1)
        for response in responses where response.status != 200 {
            #expect(response.status == 410)
            #expect(response.errorID == .flowExpired)
        }
        #expect(try await count("identities") == 1)
        #expect(try await count("sessions") == 1)
    }

    @Test func `Submitting many flows for the same number creates only one account and one session`()
        async throws
    {
        var settings = TestServer.configuration()
        settings.limits.codesPerPhone = []
        let server = try await TestServer(configuration: settings)
        let client = SignUpClient(server)
        var flows: [String] = []
        for _ in 0..<20 {
            let flow = try await client.begin()
            try #require(try await client.start(flow).status == 201)
            let code = try await server.codes.code(for: phone)
            try #require(try await client.check(flow, code: code.exposed).status == 200)
            flows.append(flow)
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for flow in flows { group.addTask { try await client.finish(flow).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + Array(repeating: 400, count: 19))
        let rows = try await #require(server.database).rows(
            "SELECT (SELECT COUNT(*) FROM identities), (SELECT COUNT(*) FROM sessions)"
        )
        #expect(try rows.first?.integer(0) == 1)
        #expect(try rows.first?.integer(1) == 1)
    }

    private func verifiedFlow() async throws -> String {
        try await client.beginVerified(on: server)
    }

    private func expectMessageOnPhone(
        _ response: HTTP.Response,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(response.status == 400, sourceLocation: sourceLocation)
        let flow = try response.decoded(FlowBody.self)
        let node = try #require(flow.ui.nodes.first { $0.name == "traits.phone" })
        #expect(!node.messages.isEmpty, sourceLocation: sourceLocation)
    }

    private func count(_ table: String) async throws -> Int64 {
        let database = try #require(server.database)
        let rows =
            table == "identities"
            ? try await database.rows("SELECT COUNT(*) FROM identities")
            : try await database.rows("SELECT COUNT(*) FROM sessions")
        return try #require(rows.first).integer(0)
    }
}
