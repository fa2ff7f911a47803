import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Changes of fields that a client requires` {
    private static let complete: [String: JSONValue] = [
        "birthday": "1990-05-17", "display_name": "Ann", "name": .object(["given": "Ann"]),
    ]

    @Test(
        arguments: [
            ("birthday", nil, [.missing]), ("birthday", "2999-01-01", [.wrongFormat]),
            ("birthday", "0000-05-17", [.wrongFormat]), ("birthday", "1991-05-17", []),
            ("display_name", nil, [.missing]), ("display_name", "  ", [.missing]),
            ("display_name", "An", [.tooShort]), ("display_name", "Anna", []),
            // An optional field can be removed, but not be invalid.
            ("name", nil, []), ("name", .object(["given": "A"]), [.tooShort]),
            ("name", .object(["given": "Bo"]), []),
        ] as [(String, JSONValue?, [MessageID])]
    )
    func `A user can change a field of the session's client, but not remove or invalidate it`(
        field: String,
        value: JSONValue?,
        messages: [MessageID]
    ) async throws {
        let shop = try await FieldServer()
        let token = try await shop.enter(FieldServer.traits(Self.complete))
        var traits = Self.complete
        traits[field] = value
        let answer = try await shop.change(FieldServer.traits(traits), token)
        let node = field == "name" ? "traits.name.given" : "traits." + field
        #expect(answer.messages(node) == messages, "\(answer.body)")
        #expect(answer.status == (messages.isEmpty ? 200 : 400))
        #expect(await shop.duty(token) == nil)
    }

    @Test func `A required field of the client of another active session can't be removed either`()
        async throws
    {
        let shop = try await FieldServer()
        let token = try await shop.enter(FieldServer.traits(Self.complete))
        let other = try #require(try await shop.logIn("").sessionToken)
        let refused = try await shop.change(FieldServer.traits(["display_name": "Ann"]), other)
        #expect(refused.status == 400 && refused.messages("traits.birthday") == [.missing])
        // The rules for optional fields only apply to the flows of their client.
        var traits = Self.complete
        traits["name"] = .object(["given": "A"])
        #expect(try await shop.change(FieldServer.traits(traits), other).status == 200)

        #expect(try await shop.server.logOut(token).status == 204)
        #expect(try await shop.change(FieldServer.traits(), other).status == 200)
    }

    @Test func `Other changes are accepted while a field is missing or invalid`() async throws {
        let shop = try await FieldServer()
        var traits: [String: JSONValue] = ["display_name": "An"]
        let token = try await shop.enter(FieldServer.traits(traits))
        traits["name"] = .object(["family": "Berg"])
        let saved = try await shop.change(FieldServer.traits(traits), token)
        #expect(saved.status == 200, "\(saved.body)")
        #expect(await shop.duty(token)?.fields == ["traits.birthday", "traits.display_name"])
    }

    @Test func `The form marks the client's fields, and says which values are invalid`() async throws {
        let shop = try await FieldServer()
        let token = try await shop.enter(
            FieldServer.traits(["display_name": "An", "birthday": "2999-01-01"])
        )
        let begun = await shop.server.get("/self-service/settings/api", token: token)
        let id = try #require(begun["id"]?.text)
        let headers: HTTP.Headers = ["Accept-Language": "nb"]
        let shown = await shop.server.get(
            "/self-service/settings/flows?id=\(id)",
            token: token,
            headers: headers
        )
        for answer in [begun, shown] {
            #expect(answer.messages("traits.display_name") == [.tooShort])
            #expect(answer.messages("traits.birthday") == [.wrongFormat])
            #expect(answer.value("traits.display_name") == "An")
            #expect(answer.node("traits.birthday")?["attributes"]?["required"] == true)
            #expect(answer.node("traits.name.given")?["attributes"]?["required"] != true)
        }
        let message = shown.node("traits.birthday")?["messages"]?.elements.first
        #expect(message?["text"] == "Du må være minst 18 år.")
        // Sessions without a client have the form of the schema.
        let other = try #require(try await shop.logIn("").sessionToken)
        let plain = await shop.server.get("/self-service/settings/api", token: other)
        #expect(plain.messages("traits.birthday").isEmpty)
        #expect(plain.node("traits.birthday")?["attributes"]?["required"] != true)
    }

    @Test func `While the duty blocks, only its fields can be changed`() async throws {
        let shop = try await FieldServer(isBlocking: true)
        let token = try await shop.enter()
        let password = try await shop.server.change(password: "another-Horse-8-battery", token: token)
        #expect(password.status == 403 && password.errorID == .dutyRequired)
        for traits: JSONValue in [
            FieldServer.traits(["name": .object(["family": "Berg"])]),
            FieldServer.traits(["birthday": "1990-05-17", "name": .object(["family": "Berg"])]),
            .object(["email": "bo@example.org", "birthday": "1990-05-17"]),
        ] {
            let refused = try await shop.change(traits, token)
            #expect(refused.status == 403 && refused.errorID == .dutyRequired, "\(refused.body)")
        }
        // The user can take the step in parts, and correct mistakes.
        let invalid = try await shop.change(FieldServer.traits(["birthday": "2999-01-01"]), token)
        #expect(invalid.status == 400 && invalid.messages("traits.birthday") == [.wrongFormat])
        #expect(try await shop.change(FieldServer.traits(["birthday": "1990-05-17"]), token).status == 200)
        #expect(await shop.duty(token)?.fields == ["traits.display_name"])
        let complete: [String: JSONValue] = ["birthday": "1990-05-17", "display_name": "Ann"]
        #expect(try await shop.change(FieldServer.traits(complete), token).status == 200)
        let free = try await shop.server.change(password: "another-Horse-8-battery", token: token)
        #expect(free.status == 200, "\(free.body)")
    }

    @Test func `An operator can remove a required field`() async throws {
        let shop = try await FieldServer()
        let token = try await shop.enter(FieldServer.traits(Self.complete))
        let me = await shop.server.get("/sessions/whoami", token: token)
        let id = try #require(me["identity"]?["id"]?.text)
        let removal = #"[{"op": "remove", "path": "/traits/birthday"}]"#
        let answer = await shop.admin.send(.patch, "/admin/identities/\(id)", removal)
        #expect(answer.status == 200, "\(answer.reason)")
        #expect(await shop.duty(token)?.fields == ["traits.birthday"])
    }
}
