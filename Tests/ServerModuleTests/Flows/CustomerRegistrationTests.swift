import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Customer registration` {
    private static let phone = "+439999999999"

    private static func body(_ phone: String = phone, email: String? = nil) -> JSONValue {
        var traits: [String: JSONValue] = [
            "name": .object(["first": "User", "last": "Test"]), "phone": .string(phone),
        ]
        traits["email"] = email.map { .string($0) }
        return .object(["method": "password", "password": "000000", "traits": .object(traits)])
    }

    /// Begins a registration flow and verifies a phone number in it.
    private func begin(_ server: SelfServiceServer, verified phone: String? = phone) async throws -> String {
        guard let phone else { return await server.begin(.registration) }
        return try await server.beginRegistration(verified: phone)
    }

    @Test func `Registration creates a provisional session that requires a device certificate`() async throws
    {
        let server = try await SelfServiceServer(schema: "customer")
        let answer = try await server.submit(.registration, try await begin(server), Self.body())
        #expect(answer.status == 200)
        #expect(
            answer["session"]?["expires_at"]?.text == (server.time.now + .seconds(900)).description
        )
        guard case .array(let addresses)? = answer["identity"]?["verifiable_addresses"] else {
            Issue.record("no addresses")
            return
        }
        #expect(addresses.count == 1)
        #expect(addresses.first?["verified"] == .bool(true))
        #expect(addresses.first?["status"] == "completed")
        #expect(addresses.first?["via"] == "sms")
        #expect(addresses.first?["verified_at"]?.text == server.time.now.description)
        guard case .array(let recovery)? = answer["identity"]?["recovery_addresses"] else {
            Issue.record("no recovery addresses")
            return
        }
        #expect(recovery.map { $0["value"]?.text } == [Self.phone])
        let whoami = await server.get("/sessions/whoami", token: answer["session_token"]?.text)
        #expect(whoami.status == 403)
        #expect(whoami.errorID == .deviceCertificateRequired)
        let login = try await server.login(Self.phone, "000000")
        #expect(login.status == 200)
        #expect(login["session"]?["expires_at"]?.text == (server.time.now + .seconds(900)).description)
        #expect(await server.get("/sessions/whoami", token: login["session_token"]?.text).status == 403)
    }

    @Test func `An unverified e-mail address is accepted`() async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let answer = try await server.submit(
            .registration,
            try await begin(server),
            Self.body(email: "Ann@Example.org")
        )
        #expect(answer.status == 200)
        guard case .array(let addresses)? = answer["identity"]?["verifiable_addresses"] else {
            Issue.record("no addresses")
            return
        }
        #expect(addresses.map { $0["verified"] } == [.bool(true), .bool(false)])
        #expect(addresses.last?["value"] == "ann@example.org")
        #expect(try await server.login("ann@example.org", "000000").messages == [.invalidCredentials])
    }

    @Test(arguments: [nil, "+439999999998"])
    func `The phone number must have been verified in the same flow`(_ verified: String?) async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let flow = try await begin(server, verified: verified)
        let work = server.hasher.work
        let answer = try await server.submit(.registration, flow, Self.body())
        #expect(answer.status == 400)
        #expect(answer["id"]?.text == flow)
        #expect(answer.messages("traits.phone") == [.addressNotVerified])
        #expect(answer.messages.isEmpty)
        #expect(server.hasher.work == work)
        #expect(try await server.count("identities") == 0)
    }

    @Test func `Any spelling of the verified phone number is accepted`() async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let answer = try await server.submit(
            .registration,
            try await begin(server),
            Self.body("+43 999 999-99-99")
        )
        #expect(answer["identity"]?["traits"]?["phone"]?.text == Self.phone)
    }

    @Test func `The registration is rejected if another phone number was verified during the request`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "customer")
        let id = try #require(Identifier(try await begin(server)))
        let flow = try #require(try await server.flows.find(id, kind: .registration))
        let other = try #require(PhoneNumber("+439999999998"))
        let now = server.time.now
        let isConsumed = try await server.resources.database.transaction { transaction in
            _ = try FlowRepository.markVerified(other, flow: id, at: now, in: transaction)
            return try FlowRepository.complete(flow, at: now, in: transaction)
        }
        #expect(!isConsumed)
    }

    @Test func `Concurrent submissions create only one account and one session`() async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let flow = try await begin(server)
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 { group.addTask { try await server.submit(.registration, flow, Self.body()) } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(answers.filter { $0.status == 410 && $0["use_flow_id"] != nil }.count == 19)
        for table in ["identities", "sessions"] { #expect(try await server.count(table) == 1) }
    }

    @Test func `Registration uses one transaction for the rate limit and another one for everything else`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "customer")
        let flow = try await begin(server)
        let counts = try await server.database.counts {
            _ = try await server.submit(.registration, flow, Self.body())
        }
        // The flow is read before, and the new session for its duties afterwards.
        #expect(counts == CountingDatabase.Counts(reads: 2, transactions: 2))
    }
}
