import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Registration at a client with required fields` {
    private static let complete: [String: JSONValue] = ["birthday": "1990-05-17", "display_name": "Ann"]

    struct Row: Sendable {
        let traits: [String: JSONValue]
        /// The messages on the fields, which are empty if the account is created.
        var messages: [String: [MessageID]] = [:]
        /// Whether each invalid value is only missing, so that a registration by code asks for it later.
        var isOnlyMissing = false
    }

    private static let rows: [Row] = [
        Row(traits: complete),
        Row(
            traits: [:],
            messages: ["traits.birthday": [.missing], "traits.display_name": [.missing]],
            isOnlyMissing: true
        ),
        Row(
            traits: ["birthday": "1990-05-17"],
            messages: ["traits.display_name": [.missing]],
            isOnlyMissing: true
        ),
        Row(
            traits: ["birthday": "1990-05-17", "display_name": " "],
            messages: ["traits.display_name": [.missing]],
            isOnlyMissing: true
        ),
        Row(
            traits: ["birthday": "2999-01-01", "display_name": "Ann"],
            messages: ["traits.birthday": [.wrongFormat]]
        ),
        Row(
            traits: ["birthday": "0000-05-17", "display_name": "An"],
            messages: ["traits.birthday": [.wrongFormat], "traits.display_name": [.tooShort]]
        ),
        Row(
            traits: complete.merging(["name": .object(["given": "A"])]) { own, _ in own },
            messages: ["traits.name.given": [.tooShort]]
        ),
    ]

    private func expect(_ row: Row, in answer: Answer) {
        for field in ["traits.birthday", "traits.display_name", "traits.name.given"] {
            #expect(answer.messages(field) == row.messages[field] ?? [], "\(field) \(row.traits)")
        }
    }

    @Test(arguments: rows)
    func `A password creates the account only with all required fields`(row: Row) async throws {
        let shop = try await FieldServer()
        let traits = FieldServer.traits(row.traits)
        let answer = try await shop.signUp(traits, query: "?client_id=shop")
        #expect(answer.status == (row.messages.isEmpty ? 200 : 400), "\(answer.body)")
        expect(row, in: answer)
        #expect(try await shop.server.count("identities") == (row.messages.isEmpty ? 1 : 0))
        #expect(try await shop.server.count("sessions") == (row.messages.isEmpty ? 1 : 0))
        if let token = answer.sessionToken { #expect(await shop.duty(token) == nil) }
    }

    @Test(arguments: rows)
    func `Without the client, the same values are accepted`(row: Row) async throws {
        let shop = try await FieldServer()
        #expect(try await shop.signUp(FieldServer.traits(row.traits)).status == 200)
    }

    @Test func `The form marks the fields that the client requires`() async throws {
        let shop = try await FieldServer()
        let begun = await shop.server.get("/self-service/registration/api?client_id=shop")
        let id = try #require(begun["id"]?.text)
        let shown = await shop.server.get("/self-service/registration/flows?id=\(id)")
        for answer in [begun, shown] {
            let required = answer.fields.filter {
                $0.hasPrefix("traits.") && answer.node($0)?["attributes"]?["required"] == true
            }
            #expect(required == ["traits.display_name", "traits.birthday"])
        }
        let plain = await shop.server.get("/self-service/registration/api")
        #expect(plain.node("traits.birthday")?["attributes"]?["required"] != true)
    }

    @Test(arguments: rows)
    func `A code is sent before the fields are given, but not with values that break a rule`(row: Row)
        async throws
    {
        let shop = try await FieldServer()
        let flow = await shop.server.begin(.registration, "?client_id=shop")
        let traits = FieldServer.traits(row.traits)
        let sent = try await shop.server.submitCode(.registration, flow, ["traits": traits])
        let isSent = row.messages.isEmpty || row.isOnlyMissing
        #expect(sent["state"] == (isSent ? "sent_email" : "choose_method"), "\(sent.body)")
        guard isSent else { return expect(row, in: sent) }
        let code = JSONValue.string(try await shop.server.code(for: FieldServer.mail))
        let answer = try await shop.server.submitCode(.registration, flow, ["code": code])
        #expect(answer.status == (row.messages.isEmpty ? 200 : 400), "\(answer.body)")
        #expect(try await shop.server.count("identities") == (row.messages.isEmpty ? 1 : 0))
    }

    @Test
    func
        `After the code of an unknown address, the same flow asks for the fields and then creates the account`()
        async throws
    {
        let shop = try await FieldServer()
        let server = shop.server
        let flow = await server.begin(.registration, "?client_id=shop")
        let sent = try await server.submitCode(.registration, flow, ["traits": FieldServer.traits()])
        // A hidden field can't be filled in, so it isn't marked.
        #expect(sent.node("traits.birthday")?["attributes"]?["required"] != true)
        let code = JSONValue.string(try await server.code(for: FieldServer.mail))
        let asked = try await server.submitCode(.registration, flow, ["code": code])
        let again = await server.get("/self-service/registration/flows?id=\(flow)")
        #expect(asked.status == 400 && again.status == 200)
        for answer in [asked, again] {
            #expect(answer["state"] == "choose_method" && answer["active"] == "code")
            #expect(
                answer.fields == [
                    "csrf_token", "traits.email", "traits.phone", "traits.name.given", "traits.name.family",
                    "traits.display_name", "traits.birthday", "method",
                ]
            )
            #expect(answer.node("traits.birthday")?["attributes"]?["required"] == true)
            #expect(answer.value("traits.email") == .string(FieldServer.mail))
        }
        #expect(try await server.count("identities") == 0)

        let partial = FieldServer.traits(["birthday": "1990-05-17", "display_name": "An"])
        let refused = try await server.submitCode(.registration, flow, ["traits": partial])
        #expect(refused.status == 400 && refused.messages("traits.display_name") == [.tooShort])
        #expect(try await server.count("identities") == 0)
        #expect(server.inbox.codes(for: FieldServer.mail).count == 1)

        let complete = FieldServer.traits(Self.complete)
        let answer = try await server.submitCode(.registration, flow, ["traits": complete])
        let token = try #require(answer.sessionToken, "\(answer.body)")
        #expect(await shop.duty(token) == nil)
        let addresses = answer["identity"]?["verifiable_addresses"]?.elements
        #expect(addresses?.map { $0["verified"] } == [true])
        #expect(answer["session"]?["authentication_methods"]?.first?["method"] == "code")
        #expect(try await server.submitCode(.registration, flow, ["traits": complete]).status == 410)
    }

    @Test func `Another address than the proven one needs a code of its own`() async throws {
        let shop = try await FieldServer()
        let server = shop.server
        let flow = await server.begin(.registration, "?client_id=shop")
        _ = try await server.submitCode(.registration, flow, ["traits": FieldServer.traits()])
        let code = JSONValue.string(try await server.code(for: FieldServer.mail))
        _ = try await server.submitCode(.registration, flow, ["code": code])
        var traits = Self.complete
        traits["email"] = "bo@example.org"
        let members: [String: JSONValue] = ["traits": .object(traits)]
        await server.messagesAreSent()
        server.time.advance(by: .seconds(31))
        let sent = try await server.submitCode(.registration, flow, members)
        #expect(sent["state"] == "sent_email", "\(sent.body)")
        #expect(try await server.count("identities") == 0)
        let second = JSONValue.string(try await server.code(for: "bo@example.org"))
        #expect(try await server.submitCode(.registration, flow, ["code": second]).status == 200)
        #expect(try await server.provers(of: FieldServer.mail).isEmpty)
    }

    @Test(arguments: [ExistingAccountRule.logIn, .refuse])
    func `The owner of an existing account isn't asked for fields by a registration`(
        rule: ExistingAccountRule
    )
        async throws
    {
        let shop = try await FieldServer { $0.registration.existingAccount = rule }
        let server = shop.server
        #expect(try await shop.signUp().status == 200)
        try await server.confirmAll()
        let flow = await server.begin(.registration, "?client_id=shop")
        _ = try await server.submitCode(.registration, flow, ["traits": FieldServer.traits()])
        let code = JSONValue.string(try await server.code(for: FieldServer.mail))
        let answer = try await server.submitCode(.registration, flow, ["code": code])
        guard rule == .logIn else {
            #expect(answer.status == 400 && answer.messages == [.duplicateIdentifier], "\(answer.body)")
            return
        }
        let token = try #require(answer.sessionToken, "\(answer.body)")
        #expect(await shop.duty(token)?.fields == ["traits.birthday", "traits.display_name"])
        #expect(try await server.count("identities") == 1)
    }

    @Test func `A change of the client applies to registrations that have started`() async throws {
        let shop = try await FieldServer("")
        let server = shop.server
        let flow = await server.begin(.registration, "?client_id=shop")
        _ = try await server.submitCode(.registration, flow, ["traits": FieldServer.traits()])
        try await shop.replace(#"{"name": "display_name"}"#)
        let code = JSONValue.string(try await server.code(for: FieldServer.mail))
        let asked = try await server.submitCode(.registration, flow, ["code": code])
        #expect(asked.status == 400 && asked.node("traits.display_name")?["attributes"]?["required"] == true)
        #expect(try await server.count("identities") == 0)
        // The client requires no field any more, and the code isn't asked for a second time.
        try await shop.replace(#"{"name": "display_name", "required": false}"#)
        let answer = try await server.submitCode(.registration, flow, ["traits": FieldServer.traits()])
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test(arguments: ["shop", nil])
    func `Two steps ask for the fields in the first one`(client: String?) async throws {
        let shop = try await FieldServer { $0.registration.style = .profileFirst }
        let flow = await shop.server.begin(.registration, client.map { "?client_id=\($0)" } ?? "")
        let body = JSONValue.object(["method": "profile", "traits": FieldServer.traits()])
        let answer = try await shop.server.submit(.registration, flow, body)
        #expect(answer.messages("traits.birthday") == (client == nil ? [] : [.missing]), "\(answer.body)")
        #expect(answer.messages == (client == nil ? [.chooseCredential] : []))
    }
}
