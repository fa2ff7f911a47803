import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Codes for several addresses of one registration", .onEachDatabase)
struct SeveralProofTests {
    private static let bothAddresses: JSONValue = .object([
        "email": .string(ClaimedAccount.mail), "phone": .string(ClaimedAccount.phone),
    ])

    private func submit(
        _ server: SelfServiceServer,
        _ flow: String,
        _ traits: JSONValue,
        code: String? = nil
    ) async throws -> Answer {
        var body: [String: JSONValue] = [
            "method": "password", "password": .string(SelfServiceServer.password), "traits": traits,
        ]
        body["code"] = code.map { .string($0) }
        return try await server.submit(.registration, flow, .object(body))
    }

    private func overwrite(_ address: String, in flow: String, on server: SelfServiceServer) async throws {
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE flows SET address = $1 WHERE id = $2",
                .text(address),
                .identifier(Identifier(flow))
            )
        }
    }

    @Test func `A registration can prove three addresses, and a fourth one is taken`() async throws {
        let names = ["a", "b", "c", "d"]
        let fields = names.map {
            """
            "\($0)": {"type": "string", "format": "email", "ory.sh/kratos": {
              "credentials": {"password": {"identifier": true}}, "verification": {"via": "email"}}}
            """
        }
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
            \(fields.joined(separator: ","))}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema])
        func traits(_ count: Int) -> JSONValue {
            let members = names.prefix(count).map { ($0, JSONValue.string("\($0)@example.org")) }
            return .object(Dictionary(uniqueKeysWithValues: members))
        }
        #expect(try await submit(server, await server.begin(.registration), traits(4)).status == 200)

        let flow = await server.begin(.registration)
        var answer = try await submit(server, flow, traits(4))
        for name in names.prefix(3) {
            #expect(answer.messages("code") == [.registrationCodeSent])
            let code = try await server.code(for: "\(name)@example.org")
            answer = try await submit(server, flow, traits(4), code: code)
        }
        #expect(answer.messages == [.duplicateIdentifier])
        #expect(answer.node("code") == nil, "\(answer.body)")
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: "d@example.org").isEmpty)
        // Without the fourth address, nothing is in the way.
        #expect(try await submit(server, flow, traits(3)).status == 200)
    }

    @Test func `A code that was used is accepted again if a late answer overwrites the flow`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let server = claimed.server
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object(["email": .string(ClaimedAccount.mail), "phone": "+46709000002"])
        _ = try await submit(server, flow, traits)
        let code = try await server.code(for: ClaimedAccount.mail)
        server.hasher.fail(with: .overloaded(retryAfter: 1))
        #expect(try await submit(server, flow, traits, code: code).status == 503)
        server.hasher.fail(with: nil)
        try await overwrite(ClaimedAccount.mail, in: flow, on: server)
        #expect(try await submit(server, flow, traits, code: code).status == 200)
    }

    @Test func `Both proofs are kept if the registration fails afterwards`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let server = claimed.server
        let flow = await server.begin(.registration)
        _ = try await submit(server, flow, Self.bothAddresses)
        let mailCode = try await server.code(for: ClaimedAccount.mail)
        _ = try await submit(server, flow, Self.bothAddresses, code: mailCode)
        let phoneCode = try await server.code(for: ClaimedAccount.phone)
        server.hasher.fail(with: .overloaded(retryAfter: 1))
        #expect(try await submit(server, flow, Self.bothAddresses, code: phoneCode).status == 503)
        server.hasher.fail(with: nil)
        #expect(try await submit(server, flow, Self.bothAddresses).status == 200)
    }

    @Test func `A correct guess leaves the last guess for the next address`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let server = claimed.server
        let flow = await server.begin(.registration)
        _ = try await submit(server, flow, Self.bothAddresses)
        let mailCode = try await server.code(for: ClaimedAccount.mail)
        for _ in 0..<4 { _ = try await submit(server, flow, Self.bothAddresses, code: mailCode.wrongCode) }
        let second = try await submit(server, flow, Self.bothAddresses, code: mailCode)
        #expect(second.messages("code") == [.registrationCodeSent])
        let phoneCode = try await server.code(for: ClaimedAccount.phone)
        #expect(try await submit(server, flow, Self.bothAddresses, code: phoneCode).status == 200)
    }

    @Test func `Another code doesn't bring back the guesses`() async throws {
        let claimed = try await ClaimedAccount()
        let server = claimed.server
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object(["email": .string(ClaimedAccount.mail), "phone": "+46709000002"])
        for guesses in [4, 1] {
            await claimed.pause()
            #expect(try await submit(server, flow, traits).messages("code") == [.registrationCodeSent])
            let code = try await server.code(for: ClaimedAccount.mail)
            for _ in 0..<guesses {
                _ = try await submit(server, flow, traits, code: code.wrongCode)
            }
        }
        let code = try await server.code(for: ClaimedAccount.mail)
        #expect(try await submit(server, flow, traits, code: code).messages("code") == [.validation])
    }

    @Test func `Guesses at a code that was withheld are used up like those at any other`() async throws {
        // The attacker's own verification has used up the only code of the day.
        let claimed = try await ClaimedAccount {
            $0.limits.codesPerPhone = [Rate(1, per: .seconds(86_400))]
        }
        let server = claimed.server
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object(["email": .string(ClaimedAccount.mail), "phone": "+46709000002"])
        #expect(try await submit(server, flow, traits).messages("code") == [.registrationCodeSent])
        for _ in 0..<5 {
            let answer = try await submit(server, flow, traits, code: "000000")
            #expect(answer.messages("code") == [.wrongRegistrationCode])
        }
        #expect(try await submit(server, flow, traits, code: "000000").messages("code") == [.validation])
    }

    @Test func `The code that is sent again goes to the address that is still unproven`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let server = claimed.server
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object(["email": "new@example.org", "phone": .string(ClaimedAccount.phone)])
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: "new@example.org"))
        _ = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        await claimed.pause()
        let sent = server.inbox.codes(for: ClaimedAccount.phone).count
        let again = try await server.submitCode(.registration, flow, ["traits": traits, "resend": "code"])
        #expect(again.messages == [.registrationCodeSent])
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: ClaimedAccount.phone).count == sent + 1)
        #expect(server.inbox.codes(for: "new@example.org").count == 1)
    }

    @Test func `Going back to the first step ends the wait for a code`() async throws {
        let claimed = try await ClaimedAccount { $0.registration.style = .profileFirst }
        await claimed.pause()
        let server = claimed.server
        let flow = await server.begin(.registration)
        let profile: JSONValue = .object(["method": "profile", "traits": Self.bothAddresses])
        _ = try await server.submit(.registration, flow, profile)
        #expect(try await submit(server, flow, Self.bothAddresses).node("code") != nil)
        let back = try await server.submit(.registration, flow, .object(["screen": "previous"]))
        #expect(back.node("code") == nil)
        let forward = try await server.submit(.registration, flow, profile)
        #expect(forward.node("password") != nil)
        #expect(forward.node("code") == nil)
    }

    @Test func `A sign-up by code without guesses sends no more codes`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let server = claimed.server
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object(["email": "new@example.org", "phone": "+46709000002"])
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = SelfServiceServer.wrong(try await server.code(for: "new@example.org"))
        for _ in 0..<5 {
            _ = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        }
        await claimed.pause()
        let again = try await server.submitCode(.registration, flow, ["traits": traits, "resend": "code"])
        #expect(again.messages == [.validation])
        await server.messagesAreSent()
        #expect(server.inbox.codes(for: "new@example.org").count == 1)
    }

    @Test func `Waits for the first code of a sign-up are announced, and so are those for guesses`()
        async throws
    {
        let claimed = try await ClaimedAccount {
            $0.limits.wrongCodesPerPhone = [Rate(1, per: .seconds(86_400))]
        }
        await claimed.pause()
        let server = claimed.server
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": Self.bothAddresses])
        let code = try await server.code(for: ClaimedAccount.mail)
        let body: [String: JSONValue] = ["traits": Self.bothAddresses]
        let again = try await server.submitCode(
            .registration,
            flow,
            body.merging(["resend": "code"]) { own, _ in own }
        )
        #expect(again.status == 429)
        for status in [400, 429] {
            let wrong = try await server.submitCode(
                .registration,
                flow,
                body.merging(["code": SelfServiceServer.wrong(code)]) { own, _ in own }
            )
            #expect(wrong.status == status)
        }
    }
}
