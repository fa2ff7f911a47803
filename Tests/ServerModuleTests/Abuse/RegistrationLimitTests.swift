import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Registration limits` {
    private func register(_ server: SelfServiceServer, _ number: Int, from host: String = "192.0.2.1")
        async throws
        -> Answer
    {
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(number),
        ])
        return try await server.submit(
            .registration,
            await server.begin(.registration),
            body,
            from: host
        )
    }

    @Test func `A network can register sixty accounts in ten seconds`() async throws {
        let server = try await SelfServiceServer()
        for number in 0..<60 { #expect(try await register(server, number).status == 200) }
        let before = server.hasher.work
        let refused = try await register(server, 60)
        #expect(refused.errorID == .tooManyRequests)
        #expect(refused.response.headers["Retry-After"] == "10")
        // The registration was rejected before the password was hashed.
        #expect(server.hasher.work == before)
        #expect(try await register(server, 60, from: "198.51.100.1").status == 200)

        server.time.advance(by: .seconds(10))
        #expect(try await register(server, 61).status == 200)
    }

    @Test func `A network can register 250 accounts in an hour`() async throws {
        let server = try await SelfServiceServer()
        var registered = 0
        for number in 0..<300 {
            registered += try await register(server, number).status == 200 ? 1 : 0
            server.time.advance(by: .seconds(1))
        }
        #expect(registered == 250)
    }

    @Test
    func `A duplicate registration counts against the limit and is rejected without hashing`()
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let before = server.hasher.work
        for _ in 0..<59 { #expect(try await register(server, 1).messages == [.duplicateIdentifier]) }
        #expect(try await register(server, 1).status == 429)
        #expect(server.hasher.work == before)
    }

    @Test
    func `A customer's password is hashed even if another account claims the unverified phone number`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "customer")
        let claim = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(),
        ])
        let flow = await server.begin(.registration, "?identity_schema=person")
        #expect(try await server.submit(.registration, flow, claim).status == 200)
        // Signing up with the code verifies the number. The first account has claimed the number, but not
        // proven it.
        let token = try await server.customer("+46701000001")
        #expect(await server.get("/sessions/whoami", token: token).status == 200)
    }

    @Test
    func `Registrations on one network can send any number of e-mails but few text messages`()
        async throws
    {
        let server = try await SelfServiceServer {
            $0.registration.sendsVerification = true
            $0.limits.codesPerAddress = Rate(3, per: .seconds(3600))
        }
        for number in 1...10 {
            #expect(try await register(server, number).status == 200)
        }
        await server.messagesAreSent()
        let mails = (1...10).count { server.inbox.messages(for: "person\($0)@example.org").count == 1 }
        let texts = (1...10).count {
            server.inbox.messages(for: "+4670" + String(1_000_000 + $0)).count == 1
        }
        #expect(mails == 10)
        #expect(texts == 3)
    }

    @Test func `A session can try at most twenty addresses per hour in the settings form`()
        async throws
    {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        try await server.register(2)
        try await server.confirmAll()
        var statuses: [Int] = []
        for number in 0..<25 {
            let flow = await server.begin(.settings, token: token)
            let email = number == 0 ? "person2@example.org" : "taken\(number)@example.org"
            let body = JSONValue.object([
                "method": "profile",
                "traits": .object(["email": .string(email), "phone": "+46701000001"]),
            ])
            let answer = try await server.submit(.settings, flow, body, token: token)
            if number == 0 { #expect(answer.messages == [.duplicateIdentifier]) }
            statuses.append(answer.status)
        }
        #expect(statuses.count { $0 != 429 } == 20)
        #expect(statuses.suffix(5) == [429, 429, 429, 429, 429])
    }

    @Test func `A new password counts against the limit before it is hashed`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        var statuses: [Int] = []
        for number in 0..<22 {
            let flow = await server.begin(.settings, token: token)
            let body = JSONValue.object([
                "method": "password", "password": .string("another-Horse-\(number)-battery"),
            ])
            let before = server.hasher.work
            let status = try await server.submit(.settings, flow, body, token: token).status
            if status == 429 { #expect(server.hasher.work == before) }
            statuses.append(status)
        }
        #expect(statuses == Array(repeating: 200, count: 20) + [429, 429])
    }

    @Test func `Changes to other traits don't count against the limit`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        for number in 0..<25 {
            let flow = await server.begin(.settings, token: token)
            var traits = SelfServiceServer.traits().members ?? [:]
            traits["name"] = .string("Name \(number)")
            let body = JSONValue.object(["method": "profile", "traits": .object(traits)])
            #expect(try await server.submit(.settings, flow, body, token: token).status == 200)
        }
    }
}
