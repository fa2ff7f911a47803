import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@Suite(.onEachDatabase) struct `Limits on codes` {
    private let phone = SignUpClient.phone

    @Test func `Only ten guesses in total are checked across flows, addresses and a server restart`()
        async throws
    {
        let folder = TemporaryFolder()
        var settings = TestServer.configuration()
        settings.limits.codesPerPhone = []
        let server = try await TestServer(storage: .file(folder.file()), configuration: settings)
        var judged = 0
        var limited = 0
        for round in 0..<40 {
            if round == 1 || round == 20 { try await server.restart() }
            let client = SignUpClient(server, from: "10.0.0.\(round)")
            let flow = try await client.begin()
            try #require(try await client.start(flow).status == 201)
            let code = try await server.codes.code(for: phone)
            for _ in 0..<5 {
                let response = try await client.check(flow, code: code.wrong)
                if response.errorID == .codeInvalid { judged += 1 }
                if response.errorID == .tooManyRequests { limited += 1 }
            }
            server.time.advance(by: .seconds(60))
        }
        #expect(judged == 10)
        #expect(limited == 190)
        await server.stop()
    }

    @Test func `The correct code is rejected while the user has to wait, but isn't used up`() async throws {
        var settings = TestServer.configuration()
        settings.limits.codesPerPhone = []
        settings.flows.lifespan = .seconds(2 * 86_400)
        settings.codes.lifespan = .seconds(2 * 86_400)
        let server = try await TestServer(configuration: settings)
        let client = SignUpClient(server)
        for _ in 0..<2 {
            let flow = try await client.begin()
            _ = try await client.start(flow)
            let code = try await server.codes.code(for: phone)
            for _ in 0..<5 { _ = try await client.check(flow, code: code.wrong) }
        }
        let flow = try await client.begin()
        #expect(try await client.start(flow).status == 201)
        let code = try await server.codes.code(for: phone)
        for _ in 0..<10 {
            let refused = try await client.check(flow, code: code.exposed)
            #expect(refused.status == 429)
            #expect(refused.errorID == .tooManyRequests)
            #expect(refused.headers["Retry-After"] == "86400")
        }
        server.time.advance(by: .seconds(86_399))
        #expect(try await client.check(flow, code: code.exposed).headers["Retry-After"] == "1")
        server.time.advance(by: .seconds(1))
        #expect(try await client.check(flow, code: code.exposed).status == 200)
    }

    @Test func `Correct codes don't count against the limit`() async throws {
        var settings = TestServer.configuration()
        settings.limits.codesPerPhone = []
        let server = try await TestServer(configuration: settings)
        let client = SignUpClient(server)
        for _ in 0..<15 {
            let flow = try await client.begin()
            #expect(try await client.start(flow).status == 201)
            let code = try await server.codes.code(for: phone)
            #expect(try await client.check(flow, code: code.exposed).status == 200)
        }
    }

    @Test func `A phone number gets one code every thirty seconds`() async throws {
        let server = try await TestServer()
        #expect(try await start(server).status == 201)
        server.time.advance(by: .milliseconds(29_001))
        let refused = try await start(server)
        #expect(refused.status == 429)
        #expect(refused.errorID == .tooManyRequests)
        #expect(refused.headers["Retry-After"] == "1")
        #expect(server.codes.codes(for: phone).count == 1)
        server.time.advance(by: .milliseconds(999))
        #expect(try await start(server).status == 201)
    }

    @Test func `A phone number gets five codes an hour and ten a day, even after a restart`() async throws {
        let server = try await TestServer()
        var sent: [Int] = []
        for minute in 0..<(24 * 60) {
            if minute == 700 { try await server.restart() }
            if try await start(server, from: "10.0.\(minute / 256).\(minute % 256)").status == 201 {
                sent.append(minute)
            }
            server.time.advance(by: .seconds(60))
        }
        #expect(sent == [0, 1, 2, 3, 4, 60, 61, 62, 63, 64])
        #expect(server.codes.codes(for: phone).count == 10)
    }

    @Test func `A client address can request thirty codes at once, and then one every two minutes`()
        async throws
    {
        let server = try await TestServer()
        for number in 0..<31 {
            let response = try await start(server, phone: "+43\(1_000_000 + number)", from: "10.0.0.1")
            #expect(response.status == (number < 30 ? 201 : 429))
        }
        #expect(try await start(server, phone: "+432000000", from: "10.0.0.2").status == 201)
        // A request that exceeds the client address's limit doesn't count towards the phone number's limit.
        server.time.advance(by: .seconds(120))
        #expect(try await start(server, phone: "+431000030", from: "10.0.0.1").status == 201)
        let refused = try await start(server, phone: "+431000031", from: "10.0.0.1")
        #expect(refused.headers["Retry-After"] == "120")
    }

    @Test func `Only one of many concurrent requests for a code succeeds`() async throws {
        let server = try await TestServer()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await start(server).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [201] + Array(repeating: 429, count: 19))
        #expect(server.codes.codes(for: phone).count == 1)
    }

    private func start(
        _ server: TestServer,
        phone: String = SignUpClient.phone,
        from address: String = "10.0.0.1"
    ) async throws -> HTTP.Response {
        let client = SignUpClient(server, from: address)
        return try await client.start(client.begin(), phone: phone)
    }
}
