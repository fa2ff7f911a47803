import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Row 8b of the ownership table.
@Suite("Registrations with an address that another account claims", .onEachDatabase)
struct ClaimedAddressTests {
    private static let password = "owners-Long-secret-1"
    private static let traits: JSONValue = .object([
        "email": .string(ClaimedAccount.mail), "phone": "+46709000002",
    ])

    private func submit(
        _ claimed: ClaimedAccount,
        _ flow: String,
        traits: JSONValue = traits,
        code: JSONValue? = nil,
        password: String = password
    ) async throws -> Answer {
        var body: [String: JSONValue] = [
            "method": "password", "password": .string(password), "traits": traits,
        ]
        body["code"] = code
        return try await claimed.server.submit(.registration, flow, .object(body))
    }

    @Test func `The form asks for a code in the group of the password and shows no other message`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let answer = try await submit(claimed, await claimed.server.begin(.registration))
        #expect(answer.status == 400)
        #expect(answer.messages == [.duplicateIdentifier])
        let node = try #require(answer.node("code"))
        #expect(node["group"] == "password")
        #expect(node["attributes"]?["type"] == "text")
        #expect(node["attributes"]?["required"] == nil)
        #expect(answer.messages("code") == [.registrationCodeSent])
        let text = try #require(node["messages"]?.first?["text"]?.text)
        #expect(text.contains("…@example.org") && !text.contains(ClaimedAccount.mail))
        #expect(node["messages"]?.first?["type"] == "info")
        let shown = await claimed.server.get(
            "/self-service/registration/flows?id=\(answer["id"]?.text ?? "")"
        )
        #expect(shown.messages == [.duplicateIdentifier])
        #expect(shown.messages("code") == [.registrationCodeSent])
        #expect(try await claimed.identity().identifiers.contains(ClaimedAccount.mail))
    }

    @Test func `The same submission with the code creates the account`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        _ = try await submit(claimed, flow)
        let code = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.mail))
        let answer = try await submit(claimed, flow, code: code)
        #expect(answer.status == 200)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        let new = try await claimed.identity(id)
        #expect(new.provenAddresses == [.ownersMail])
        #expect(new.confirmedAt != nil)
        let old = try await claimed.identity()
        #expect(old.identifiers == [ClaimedAccount.phone])
        #expect(await claimed.isAlive(claimed.attackersToken))
        #expect(try await claimed.server.login(ClaimedAccount.mail, Self.password).status == 200)
        #expect(try await claimed.server.login(ClaimedAccount.mail, ClaimedAccount.password).status == 400)
        #expect(try await claimed.actions().contains(.addressReleased))
    }

    @Test func `A wrong code changes nothing and can be corrected`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        _ = try await submit(claimed, flow)
        let code = try await claimed.server.code(for: ClaimedAccount.mail)
        for guess in [SelfServiceServer.wrong(code), "words"] {
            let answer = try await submit(claimed, flow, code: guess)
            #expect(answer.status == 400)
            #expect(answer.messages == [.duplicateIdentifier])
            #expect(answer.messages("code") == [.wrongRegistrationCode])
        }
        #expect(try await claimed.identity().identifiers.contains(ClaimedAccount.mail))
        #expect(try await submit(claimed, flow, code: .string(code)).status == 200)
    }

    @Test func `A code that the form didn't ask for is ignored`() async throws {
        let claimed = try await ClaimedAccount()
        let traits: JSONValue = .object(["email": "fresh@example.org", "phone": "+46709000002"])
        let flow = await claimed.server.begin(.registration)
        #expect(try await submit(claimed, flow, traits: traits, code: "000000").status == 200)
    }

    @Test func `A submission without the code sends it again`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        _ = try await submit(claimed, flow)
        let before = try await claimed.server.code(for: ClaimedAccount.mail)
        await claimed.pause()
        let answer = try await submit(claimed, flow)
        #expect(answer.messages("code") == [.registrationCodeSent])
        let after = try await claimed.server.code(for: ClaimedAccount.mail)
        if before != after {
            #expect(try await submit(claimed, flow, code: .string(before)).status == 400)
        }
        #expect(try await submit(claimed, flow, code: .string(after)).status == 200)
    }

    @Test func `A refused code doesn't change the answer`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        let first = try await submit(claimed, flow)
        let sent = claimed.server.inbox.codes(for: ClaimedAccount.mail).count
        for _ in 0..<3 {
            let answer = try await submit(claimed, flow)
            #expect(answer.status == first.status)
            #expect(answer.messages == first.messages)
            #expect(answer.node("code") == first.node("code"))
        }
        await claimed.server.messagesAreSent()
        #expect(claimed.server.inbox.codes(for: ClaimedAccount.mail).count <= max(sent, 2))
    }

    @Test func `Guesses beyond the limits of the address are answered like wrong codes`() async throws {
        let claimed = try await ClaimedAccount()
        for _ in 0..<3 {
            await claimed.pause()
            let flow = await claimed.server.begin(.registration)
            _ = try await submit(claimed, flow)
            let code = try await claimed.server.code(for: ClaimedAccount.mail)
            for _ in 0..<4 {
                let answer = try await submit(claimed, flow, code: SelfServiceServer.wrong(code))
                #expect(answer.status == 400)
                #expect(answer.messages("code") == [.wrongRegistrationCode])
            }
        }
        #expect(try await claimed.identity().identifiers.contains(ClaimedAccount.mail))
    }

    @Test func `A flow without guesses says so and sends no more codes`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        _ = try await submit(claimed, flow)
        let code = try await claimed.server.code(for: ClaimedAccount.mail)
        for _ in 0..<5 {
            let answer = try await submit(claimed, flow, code: SelfServiceServer.wrong(code))
            #expect(answer.messages("code") == [.wrongRegistrationCode])
        }
        #expect(try await submit(claimed, flow, code: .string(code)).messages("code") == [.validation])
        await claimed.pause()
        let sent = claimed.server.inbox.codes(for: ClaimedAccount.mail).count
        #expect(try await submit(claimed, flow).messages("code") == [.validation])
        await claimed.server.messagesAreSent()
        #expect(claimed.server.inbox.codes(for: ClaimedAccount.mail).count == sent)
        #expect(try await claimed.identity().identifiers.contains(ClaimedAccount.mail))
    }

    @Test func `A code stays accepted if the registration fails afterwards`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        _ = try await submit(claimed, flow)
        let code = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.mail))
        claimed.server.hasher.fail(with: .overloaded(retryAfter: 1))
        #expect(try await submit(claimed, flow, code: code).status == 503)
        claimed.server.hasher.fail(with: nil)
        #expect(try await submit(claimed, flow, code: code).status == 200)
    }

    @Test func `A code stays accepted if a late answer to the same request overwrites the flow`() async throws
    {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        let traits: JSONValue = .object([
            "email": .string(ClaimedAccount.mail), "phone": .string(ClaimedAccount.phone),
        ])
        _ = try await submit(claimed, flow, traits: traits)
        let mailCode = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.mail))
        _ = try await submit(claimed, flow, traits: traits, code: mailCode)
        let phoneCode = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.phone))
        try await claimed.server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE flows SET address = $1 WHERE id = $2",
                .text(ClaimedAccount.mail),
                .identifier(Identifier(flow))
            )
        }
        #expect(try await submit(claimed, flow, traits: traits, code: phoneCode).status == 200)
    }

    /// Starts a sign-up by code that needs a second code, for the phone number that the other account claims.
    private func signUpByCode(_ claimed: ClaimedAccount) async throws -> (flow: String, traits: JSONValue) {
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        let traits: JSONValue = .object(["email": "new@example.org", "phone": .string(ClaimedAccount.phone)])
        _ = try await claimed.server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await claimed.server.code(for: "new@example.org"))
        let second = try await claimed.server.submitCode(
            .registration,
            flow,
            ["traits": traits, "code": code]
        )
        try #require(second.messages("code") == [.registrationCodeSent], "\(second.body)")
        return (flow, traits)
    }

    @Test func `A second code that can't be sent again or guessed doesn't reveal it`() async throws {
        let claimed = try await ClaimedAccount {
            $0.limits.codesPerPhone = [Rate(2, per: .seconds(86_400))]
            $0.limits.wrongCodesPerPhone = [Rate(1, per: .seconds(86_400))]
        }
        let (flow, traits) = try await signUpByCode(claimed)
        await claimed.pause()
        let resend: [String: JSONValue] = ["traits": traits, "resend": "code"]
        let again = try await claimed.server.submitCode(.registration, flow, resend)
        #expect(again.status == 400)
        #expect(again.messages == [.registrationCodeSent])
        for _ in 0..<3 {
            let wrong = try await claimed.server.submitCode(
                .registration,
                flow,
                ["traits": traits, "code": "000000"]
            )
            #expect(wrong.status == 400)
            #expect(wrong.messages == [.wrongRegistrationCode])
        }
    }

    @Test func `Both codes of a sign-up count for the session`() async throws {
        let claimed = try await ClaimedAccount()
        let (flow, traits) = try await signUpByCode(claimed)
        let code = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.phone))
        let done = try await claimed.server.submitCode(
            .registration,
            flow,
            ["traits": traits, "code": code]
        )
        let token = try #require(done.sessionToken, "\(done.body)")
        await claimed.pause()
        // Replacing a proven address requires a code to this address.
        let changed = try await claimed.server.change(
            traits: ["email": "other@example.org", "phone": .string(ClaimedAccount.phone)],
            token: token
        )
        #expect(changed["state"] == "success", "\(changed.body)")
    }

    @Test(arguments: RegistrationStyle.allCases)
    func `A password after a request for a code asks for the claimed address's code`(
        _ style: RegistrationStyle
    ) async throws {
        let claimed = try await ClaimedAccount { $0.registration.style = style }
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        let hasSteps = style == .profileFirst
        if hasSteps {
            let profile: JSONValue = .object(["method": "profile", "traits": Self.traits])
            #expect(try await claimed.server.submit(.registration, flow, profile)["state"] == "choose_method")
        }
        let sent = try await claimed.server.submitCode(.registration, flow, ["traits": Self.traits])
        #expect(sent["state"] == "sent_email")
        await claimed.pause()

        let refused = try await submit(claimed, flow)
        #expect(refused["state"] == "choose_method")
        #expect(refused["active"] == "password")
        #expect(refused.node("password") != nil)
        #expect(refused.node("code")?["group"] == "password")
        #expect(refused.node("traits.email")?["attributes"]?["type"] == (hasSteps ? "hidden" : "email"))
        #expect(refused.node("traits.email")?["attributes"]?["value"] == .string(ClaimedAccount.mail))

        let code = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.mail))
        #expect(try await submit(claimed, flow, code: code).status == 200)
    }

    @Test func `Several claimed addresses are proven one at a time, in the order of the schema`() async throws
    {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        let traits: JSONValue = .object([
            "email": .string(ClaimedAccount.mail), "phone": .string(ClaimedAccount.phone),
        ])
        _ = try await submit(claimed, flow, traits: traits)
        let mailCode = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.mail))
        let phoneCodes = claimed.server.inbox.codes(for: ClaimedAccount.phone).count
        let second = try await submit(claimed, flow, traits: traits, code: mailCode)
        #expect(second.status == 400)
        #expect(second.node("code")?["messages"]?.first?["text"]?.text?.contains("+…01") == true)
        await claimed.server.messagesAreSent()
        #expect(claimed.server.inbox.codes(for: ClaimedAccount.phone).count == phoneCodes + 1)
        let phoneCode = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.phone))
        let done = try await submit(claimed, flow, traits: traits, code: phoneCode)
        #expect(done.status == 200)
        let id = try #require(done["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(try await claimed.identity(id).provenAddresses == [.ownersMail, .attackersPhone])
        #expect(try await claimed.identity().identifiers.isEmpty)
    }

    @Test func `A code for one address doesn't prove another`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        let own: JSONValue = .object([
            "email": "attacker2@example.org", "phone": .string(ClaimedAccount.phone),
        ])
        _ = try await submit(claimed, flow, traits: own)
        let code = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.phone))
        let answer = try await submit(claimed, flow, code: code)
        // The phone number is proven now, but the submission names the e-mail address of the owner.
        #expect(answer.status == 400)
        #expect(answer.messages("code") == [.registrationCodeSent])
        #expect(try await claimed.server.provers(of: ClaimedAccount.mail).isEmpty)
        #expect(try await claimed.identity().identifiers.contains(ClaimedAccount.mail))
    }

    @Test func `A phone that was verified before the submission needs no other code`() async throws {
        let claimed = try await ClaimedAccount()
        let flow = try await claimed.server.beginRegistration(verified: ClaimedAccount.phone)
        let traits: JSONValue = .object([
            "email": "another@example.org", "phone": .string(ClaimedAccount.phone),
        ])
        let answer = try await submit(claimed, flow, traits: traits)
        #expect(answer.status == 200)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(try await claimed.identity(id).provenAddresses == [.attackersPhone])
        #expect(try await claimed.identity().identifiers == [ClaimedAccount.mail])
    }

    @Test func `The password isn't stored while the registration waits for a code`() async throws {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        _ = try await submit(claimed, flow)
        let rows = try await claimed.server.resources.database.rows(
            "SELECT form, traits, proven FROM flows WHERE id = $1",
            .identifier(Identifier(flow))
        )
        let row = try #require(rows.first)
        for column in 0..<2 {
            let text =
                try row.optional(column, as: Row.blob).map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(!text.contains(Self.password))
        }
        let changed = try await submit(
            claimed,
            flow,
            code: .string(try await claimed.server.code(for: ClaimedAccount.mail)),
            password: "another-Long-secret-2"
        )
        #expect(changed.status == 200)
        #expect(try await claimed.server.login(ClaimedAccount.mail, "another-Long-secret-2").status == 200)
    }

    @Test func `An identifier that can't receive codes stays with the account that claims it`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "nick": {"type": "string", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema])
        let body: JSONValue = .object([
            "method": "password", "password": .string(Self.password), "traits": .object(["nick": "ann"]),
        ])
        #expect(try await server.submit(.registration, await server.begin(.registration), body).status == 200)
        let answer = try await server.submit(.registration, await server.begin(.registration), body)
        #expect(answer.messages == [.duplicateIdentifier])
        #expect(answer.node("code") == nil)
    }

    @Test func `An owner can sign up although the schema has no codes`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "email": {"type": "string", "format": "email", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}},
                "recovery": {"via": "email"}, "verification": {"via": "email"}}},
              "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}, "verification": {"via": "sms"}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema]) {
            $0.codes.isLoginEnabled = false
            $0.registration.sendsVerification = true
        }
        let thief = try await server.submit(
            .registration,
            await server.begin(.registration),
            .object([
                "method": "password", "password": .string(ClaimedAccount.password),
                "traits": .object(["email": .string(ClaimedAccount.mail), "phone": "+46709000001"]),
            ])
        )
        let flows = ClaimedAccount.verifications(thief)
        let phoneFlow = try #require(flows["+46709000001"])
        _ = try await server.submitCode(
            .verification,
            phoneFlow,
            ["code": .string(try await server.code(for: "+46709000001"))]
        )
        await server.messagesAreSent()
        server.time.advance(by: .seconds(31))
        let flow = await server.begin(.registration)
        let body: [String: JSONValue] = [
            "method": "password", "password": .string(Self.password),
            "traits": .object(["email": .string(ClaimedAccount.mail)]),
        ]
        #expect(
            try await server.submit(.registration, flow, .object(body)).messages == [.duplicateIdentifier]
        )
        let code = JSONValue.string(try await server.code(for: ClaimedAccount.mail))
        let all = body.merging(["code": code]) { own, _ in own }
        #expect(try await server.submit(.registration, flow, .object(all)).status == 200)
        #expect(try await server.login(ClaimedAccount.mail, Self.password).status == 200)
    }

    @Test(arguments: 0..<3)
    func `Two sign-ups that prove the same claimed address don't both succeed`(round: Int) async throws {
        let claimed = try await ClaimedAccount { $0.limits = .unlimited }
        var flows: [(flow: String, code: JSONValue)] = []
        for _ in 0..<2 {
            let flow = await claimed.server.begin(.registration)
            _ = try await submit(claimed, flow)
            flows.append((flow, .string(try await claimed.server.code(for: ClaimedAccount.mail))))
        }
        let (first, second) = (flows[0], flows[1])
        let answers = try await race { number in
            try await submit(claimed, first.flow, traits: Self.traits(number), code: first.code)
        } against: { number in
            try await submit(claimed, second.flow, traits: Self.traits(number + 50), code: second.code)
        }
        #expect(answers.first.successes + answers.second.successes == 1)
        let all = answers.first + answers.second
        #expect(all.allSatisfy { [200, 400, 410].contains($0.status) })
        let winner = try #require(all.first { $0.status == 200 }?["identity"]?["id"]?.text)
        #expect(try await claimed.server.provers(of: ClaimedAccount.mail).map(\.description) == [winner])
        #expect(try await claimed.server.holder(of: ClaimedAccount.mail)?.description == winner)
        #expect(try await claimed.server.count("identities") == 2)
        #expect(claimed.server.reported.withLock { $0 } == [])
    }

    @Test(arguments: [FlowKind.login, .recovery])
    func `A code that was sent before the address was released opens no account`(_ kind: FlowKind)
        async throws
    {
        let claimed = try await ClaimedAccount()
        await claimed.pause()
        let open = await claimed.server.begin(kind)
        _ = try await claimed.server.sendCode(kind, open, to: ClaimedAccount.mail)
        let code = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.mail))
        await claimed.pause()
        let flow = await claimed.server.begin(.registration)
        _ = try await submit(claimed, flow)
        let proof = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.mail))
        #expect(try await submit(claimed, flow, code: proof).status == 200)

        let answer = try await claimed.server.submitCode(kind, open, ["code": code])
        #expect(answer.sessionToken == nil)
        #expect(answer["continue_with"]?.elements.isEmpty ?? true)
        #expect(try await claimed.identity().confirmedAt == nil)
    }

    private static func traits(_ number: Int) -> JSONValue {
        .object(["email": .string(ClaimedAccount.mail), "phone": .string("+467090\(20_000 + number)")])
    }
}
