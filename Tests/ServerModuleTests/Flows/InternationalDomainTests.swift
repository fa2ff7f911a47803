import LatchkeyModel
import LatchkeySelfService
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("E-mail addresses with international domains", .onEachDatabase)
struct InternationalDomainTests {
    private static let spellings = [
        "user@bücher.example", "User@BÜCHER.example", "user@xn--bcher-kva.example",
    ]

    private func register(_ mail: String, phone: String, on server: SelfServiceServer) async throws -> Answer
    {
        try await server.submit(
            .registration,
            await server.begin(.registration),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": .object(["email": .string(mail), "phone": .string(phone)]),
            ])
        )
    }

    @Test(arguments: spellings)
    func `A mailbox belongs to one account, however its domain is written`(first: String) async throws {
        let server = try await SelfServiceServer()
        let created = try await register(first, phone: "+46701000001", on: server)
        #expect(created.status == 200)
        for (number, second) in Self.spellings.enumerated() {
            let refused = try await register(second, phone: "+4670200000\(number)", on: server)
            #expect(refused.status == 400)
            #expect(refused.messages == [.duplicateIdentifier])
            #expect(try await server.login(second).status == 200)
        }
        #expect(try await server.count("identities") == 1)
    }

    @Test func `Codes are sent to the ASCII form of the domain and limits count both forms together`()
        async throws
    {
        let server = try await SelfServiceServer()
        let created = try await register(Self.spellings[0], phone: "+46701000001", on: server)
        let token = try #require(created["session_token"]?.text)
        let verified = try await server.enter(.verification, with: Self.spellings[2], token: token)
        #expect(verified["state"] == "passed_challenge")

        let flow = await server.begin(.login)
        server.time.advance(by: .seconds(31))
        #expect(try await server.sendCode(.login, flow, to: Self.spellings[0])["state"] == "sent_email")
        let other = await server.begin(.login)
        #expect(try await server.sendCode(.login, other, to: Self.spellings[2]).status == 429)
    }

    @Test(arguments: ["user@-ü.example", "user@\u{1F600}.example", "user@a..ü.example"])
    func `A domain that can't exist is rejected at sign-up`(mail: String) async throws {
        let server = try await SelfServiceServer()

        #expect(try await register(mail, phone: "+46701000001", on: server).status == 400)
        #expect(try await server.count("identities") == 0)
    }
}
