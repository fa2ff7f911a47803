import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Duties to fill in the required fields of a client` {
    @Test(
        arguments: [
            ([:], ["traits.birthday", "traits.display_name"]),
            (["birthday": "1990-05-17"], ["traits.display_name"]),
            (["birthday": "1990-05-17", "display_name": "Ann"], []),
            (["birthday": "0000-05-17", "display_name": "Ann"], ["traits.birthday"]),
            (["birthday": "2999-01-01", "display_name": "Ann"], ["traits.birthday"]),
            (["birthday": "1990-05-17", "display_name": "An"], ["traits.display_name"]),
            (["birthday": "1990-05-17", "display_name": "   "], ["traits.display_name"]),
            // An optional field is never a duty.
            (["birthday": "1990-05-17", "display_name": "Ann", "name": ["given": "A"]], []),
        ] as [([String: JSONValue], [String])]
    )
    func `A session of the client has a duty for the missing and invalid required fields only`(
        traits: [String: JSONValue],
        fields: [String]
    ) async throws {
        let shop = try await FieldServer()
        let token = try await shop.enter(FieldServer.traits(traits))
        #expect(await shop.duty(token)?.fields ?? [] == fields)
        let other = try #require(try await shop.logIn("").sessionToken)
        #expect(await shop.duty(other) == nil)
    }

    @Test func `The duty ends when the user has filled in the fields`() async throws {
        let shop = try await FieldServer()
        let token = try await shop.enter()
        #expect(await shop.duty(token)?.fields == ["traits.birthday", "traits.display_name"])
        var traits: [String: JSONValue] = ["birthday": "1990-05-17"]
        #expect(try await shop.change(FieldServer.traits(traits), token).status == 200)
        #expect(await shop.duty(token)?.fields == ["traits.display_name"])
        traits["display_name"] = "Ann"
        #expect(try await shop.change(FieldServer.traits(traits), token).status == 200)
        #expect(await shop.duty(token) == nil)
    }

    @Test func `A change of the client's registration changes the duty at once`() async throws {
        let shop = try await FieldServer(#"{"name": "birthday", "minimum_age": 18}"#)
        let token = try await shop.enter()
        #expect(await shop.duty(token)?.fields == ["traits.birthday"])
        try await shop.replace(#"{"name": "display_name"}"#, isBlocking: true)
        let changed = try #require(await shop.duty(token))
        #expect(changed.fields == ["traits.display_name"] && changed.isBlocking)
        try await shop.replace(#"{"name": "display_name", "required": false}"#, isBlocking: true)
        #expect(await shop.duty(token) == nil)
        try await shop.replace(#"{"name": "display_name"}"#)
        #expect(await shop.duty(token)?.isBlocking == false)
        try await shop.replace("")
        #expect(await shop.duty(token) == nil)
    }

    @Test func `Streams learn that the client's required fields have changed`() async throws {
        let shop = try await FieldServer("")
        let token = try await shop.enter()
        let stream = try await shop.server.follow(token)
        try await shop.replace(#"{"name": "display_name"}"#)
        await wait(until: "the stream is told") {
            shop.server.time.advance(by: .seconds(1))
            return stream.types.contains("duties_changed")
        }
    }

    @Test func `A field becomes valid when the user reaches the minimum age, without a change`() async throws
    {
        let shop = try await FieldServer(#"{"name": "birthday", "minimum_age": 1}"#) {
            $0.sessions.lifespan = .seconds(3 * 366 * 86_400)
        }
        let today = shop.server.time.now.description.prefix(10)
        let token = try await shop.enter(FieldServer.traits(["birthday": .string(String(today))]))
        #expect(await shop.duty(token)?.fields == ["traits.birthday"])
        shop.server.time.advance(by: .seconds(366 * 86_400))
        #expect(await shop.duty(token) == nil)
    }

    @Test func `A rule that the account's schema doesn't have is ignored`() async throws {
        let admin = try await AdminServer()
        let fields = #"{"required_fields": [{"name": "birthday"}], "blocking": ["required_fields"]}"#
        let body = #"{"client_id": "shop", "latchkey": \#(fields)}"#
        #expect(await admin.send(.post, "/admin/clients", body).status == 201)
        let answer = try await admin.people.submit(
            .registration,
            await admin.people.begin(.registration, "?client_id=shop"),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(),
            ])
        )
        let token = try #require(answer.sessionToken, "\(answer.body)")
        #expect(await admin.people.get("/sessions/whoami", token: token)["duties"] == nil)
        #expect(await admin.people.get("/account/clients", token: token).status == 200)
    }

    @Test func `whoami reads no more of the database than without required fields`() async throws {
        let shop = try await FieldServer()
        let token = try await shop.enter()
        let other = try #require(try await shop.logIn("").sessionToken)
        for token in [token, other] { _ = await shop.server.get("/sessions/whoami", token: token) }
        let plain = await shop.server.database.work {
            _ = await shop.server.get("/sessions/whoami", token: other)
        }
        let duty = await shop.server.database.work {
            _ = await shop.server.get("/sessions/whoami", token: token)
        }
        #expect(duty == plain)
    }

    @Test(arguments: [false, true])
    func `The duty closes other routes only if the client says that its fields block`(isBlocking: Bool)
        async throws
    {
        let shop = try await FieldServer(isBlocking: isBlocking)
        let token = try await shop.enter()
        let refused = await shop.server.get("/account/clients", token: token)
        #expect(refused.status == (isBlocking ? 403 : 200))
        #expect(refused.errorID == (isBlocking ? .dutyRequired : nil))
        let other = try #require(try await shop.logIn("").sessionToken)
        #expect(await shop.server.get("/account/clients", token: other).status == 200)

        let traits: [String: JSONValue] = ["birthday": "1990-05-17", "display_name": "Ann"]
        let saved = try await shop.change(FieldServer.traits(traits), token)
        #expect(saved.status == 200, "\(saved.body)")
        #expect(await shop.server.get("/account/clients", token: token).status == 200)
    }

    @Test func `A login leads an app to a settings flow that asks for the fields`() async throws {
        let shop = try await FieldServer(isBlocking: true)
        #expect(try await shop.signUp().status == 200)
        let login = try await shop.logIn()
        let token = try #require(login.sessionToken)
        let steps = login["continue_with"]?.elements ?? []
        let step = try #require(steps.first { $0["action"] == "show_settings_ui" }, "\(login.body)")
        let flow = try #require(step["flow"]?["id"]?.text)
        let shown = await shop.server.get("/self-service/settings/flows?id=\(flow)", token: token)
        #expect(shown.status == 200)
        #expect(shown.fields == ["csrf_token", "traits.display_name", "traits.birthday", "method"])
        for field in ["traits.display_name", "traits.birthday"] {
            #expect(shown.node(field)?["attributes"]?["required"] == true)
        }
        #expect(shown.node("traits.birthday")?["attributes"]?["type"] == "date")

        let traits: JSONValue = ["birthday": "1990-05-17", "display_name": "Ann"]
        let body = JSONValue.object(["method": "profile", "traits": traits])
        #expect(try await shop.server.submit(.settings, flow, body, token: token).status == 200)
        #expect(await shop.duty(token) == nil)
        // The profile is complete, so the next login has no further step.
        let again = try await shop.logIn()
        #expect(again["continue_with"]?.elements.contains { $0["action"] == "show_settings_ui" } != true)
    }
}
