import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("E-mail addresses that are not ASCII before the @", .onEachDatabase)
struct InternationalMailboxTests {
    private static let address = "müller@example.org"

    private func traits(_ mail: String) -> JSONValue {
        .object(["email": .string(mail), "phone": .string("+46701000001")])
    }

    private func register(_ mail: String, on server: SelfServiceServer, profileFirst: Bool = false)
        async throws -> Answer
    {
        let flow = await server.begin(.registration)
        let body: JSONValue =
            profileFirst
            ? .object(["method": "profile", "traits": traits(mail)])
            : .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": traits(mail),
            ])
        return try await server.submit(.registration, flow, body)
    }

    @Test(arguments: [
        address, "用户@example.org", "mu\u{308}ller@example.org", "ø@bücher.example", "müller.x@example.org",
    ])
    func `Such an address is refused at sign-up, with a message at the address`(mail: String) async throws {
        let server = try await SelfServiceServer()

        let refused = try await register(mail, on: server)
        #expect(refused.status == 400 && refused.messages == [])
        #expect(refused.messages("traits.email") == [.invalidEmail])
        let text = String(decoding: refused.response.body, as: UTF8.self)
        #expect(text.contains("letters such as ø before the @"))
        #expect(try await server.count("identities") == 0)
    }

    @Test func `Such an address is refused in the first of two steps and when a code is requested`()
        async throws
    {
        let server = try await SelfServiceServer { $0.registration.style = .profileFirst }
        let profile = try await register(Self.address, on: server, profileFirst: true)
        #expect(profile.status == 400 && profile.messages("traits.email") == [.invalidEmail])

        let unified = try await SelfServiceServer()
        let code = try await unified.submit(
            .registration,
            await unified.begin(.registration),
            .object(["method": "code", "traits": traits(Self.address)])
        )
        #expect(code.status == 400 && code.messages("traits.email") == [.invalidEmail])
        #expect(try await unified.count("messages") == 0)
    }

    @Test func `Such an address is accepted if the mail system supports SMTPUTF8`() async throws {
        let server = try await SelfServiceServer { $0.courier.mail.smtpUTF8 = true }

        #expect(try await register(Self.address, on: server).status == 200)
        #expect(try await server.login(Self.address).status == 200)
    }

    @Test func `An existing account with such an address can log in and change its other traits`()
        async throws
    {
        let server = try await SelfServiceServer { $0.courier.mail.smtpUTF8 = true }
        #expect(try await register(Self.address, on: server).status == 200)

        let later = try await SelfServiceServer(over: server.resources.database)
        let login = try await later.login("Mu\u{308}ller@EXAMPLE.org")
        let token = try #require(login.sessionToken)
        var changed = try #require(traits(Self.address).members)

        changed["name"] = "Ann"
        #expect(try await later.change(traits: changed, token: token).status == 200)

        changed["email"] = "ø@example.org"
        let refused = try await later.change(traits: changed, token: token)
        #expect(refused.status == 400 && refused.messages("traits.email") == [.invalidEmail])
    }
}
