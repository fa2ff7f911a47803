import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Changing an address that has to be verified first` {
    private let client: SettingsClient

    init() async throws {
        client = try await SettingsClient { $0.changes.verifiedFirst = .always }
    }

    private func traits() async -> JSONValue? {
        await client.server.get("/sessions/whoami", token: client.token)["identity"]?["traits"]
    }

    /// Requests a change and returns the verification flow that it waits for.
    private func ask(_ traits: [String: JSONValue]) async throws -> String {
        let answer = try await client.change(traits)
        #expect(answer.status == 200)
        return try #require(answer["continue_with"]?.first?["flow"]?["id"]?.text)
    }

    private func prove(_ address: String, in flow: String) async throws -> Answer {
        let code = try await client.server.code(for: address)
        return try await client.server.submitCode(.verification, flow, ["code": .string(code)])
    }

    @Test func `The new address replaces the old one only after the code has been entered`() async throws {
        _ = try await client.server.submitCode(
            .verification,
            await client.server.begin(.verification),
            ["email": "person1@example.org"]
        )
        let asked = try await client.change(["email": "new@example.org", "name": "Kari"])
        #expect(asked.status == 200)
        #expect(asked["state"] == "show_form")
        #expect(asked.messages == [.emailCodeSent])
        #expect(asked.value("traits.email") == "person1@example.org")
        #expect(asked["continue_with"]?.first?["action"] == "show_verification_ui")
        #expect(asked["continue_with"]?.first?["flow"]?["verifiable_address"] == "new@example.org")
        #expect(await traits() == SelfServiceServer.traits())
        #expect(try await client.server.login("new@example.org").status == 400)
        #expect(try await client.server.login("person1@example.org").status == 200)

        let flow = try #require(asked["continue_with"]?.first?["flow"]?["id"]?.text)
        let done = try await prove("new@example.org", in: flow)
        #expect(done.status == 200)
        #expect(done["state"] == "passed_challenge")
        #expect(done.messages == [.emailVerified])
        let me = await client.server.get("/sessions/whoami", token: client.token)["identity"]
        #expect(me?["traits"]?["email"] == "new@example.org")
        #expect(me?["traits"]?["name"] == "Kari")
        let verified = me?["verifiable_addresses"]?.elements.filter { $0["verified"] == .bool(true) }
        #expect(verified?.map { $0["value"]?.text } == ["new@example.org"])
        #expect(try await client.server.login("new@example.org").status == 200)
        #expect(try await client.server.login("person1@example.org").status == 400)
    }

    @Test func `The old address is notified if it was verified`() async throws {
        let first = await client.server.begin(.verification)
        _ = try await client.server.submitCode(.verification, first, ["email": "person1@example.org"])
        #expect(try await prove("person1@example.org", in: first).status == 200)
        let flow = try await ask(["email": "new@example.org"])
        await client.server.messagesAreSent()
        #expect(
            client.server.inbox.messages(for: "person1@example.org").map(\.template) == [
                "verification_code_valid"
            ]
        )
        #expect(try await prove("new@example.org", in: flow).status == 200)
        await client.server.messagesAreSent()
        let told = client.server.inbox.messages(for: "person1@example.org").map(\.template)
        #expect(told == ["verification_code_valid", "address_changed"])
    }

    @Test func `Two addresses can't be changed at the same time`() async throws {
        let answer = try await client.change(["email": "new@example.org", "phone": "+46708888888"])
        #expect(answer.status == 400)
        #expect(answer.messages == [.severalAddresses])
        #expect(answer["ui"]?["messages"]?.first?["type"] == "error")
        #expect(await traits() == SelfServiceServer.traits())
        await client.server.messagesAreSent()
        #expect(client.server.inbox.messages(for: "new@example.org").isEmpty)
        #expect(client.server.inbox.messages(for: "+46708888888").isEmpty)
    }

    @Test func `Other traits are saved immediately`() async throws {
        let answer = try await client.change(["name": "Kari"])
        #expect(answer["state"] == "success")
        #expect(answer.messages == [.settingsSaved])
        #expect(await traits()?["name"] == "Kari")
    }

    @Test func `Changing an address requires a recent login`() async throws {
        client.server.time.advance(by: .seconds(3600))
        let flow = await client.server.begin(.settings, token: client.token)
        let body = JSONValue.object([
            "method": "profile", "traits": .object(["email": "new@example.org", "phone": "+46701000001"]),
        ])
        let answer = try await client.server.submit(.settings, flow, body, token: client.token)
        #expect(answer.errorID == .sessionRefreshRequired)
        #expect(try await client.server.count("codes") == 0)
    }

    @Test func `An address can be taken over from an account that hasn't verified it`() async throws {
        let flow = try await ask(["email": "person2@example.org"])
        try await client.server.register(2)
        let answer = try await prove("person2@example.org", in: flow)
        #expect(answer["state"] == "passed_challenge")
        #expect(try await client.server.login("person2@example.org").status == 200)
        #expect(await traits()?["email"] == "person2@example.org")
        #expect(try await client.server.login("+46701000002").status == 200)
    }

    @Test func `The change is rejected if another account has verified the address`() async throws {
        let flow = try await ask(["email": "person2@example.org"])
        try await client.server.register(2)
        let asked = try await client.server.code(for: "person2@example.org")
        client.server.time.advance(by: .seconds(31))
        let other = await client.server.begin(.verification)
        _ = try await client.server.submitCode(.verification, other, ["email": "person2@example.org"])
        let code = JSONValue.string(try await client.server.code(for: "person2@example.org"))
        _ = try await client.server.submitCode(.verification, other, ["code": code])
        let answer = try await client.server.submitCode(.verification, flow, ["code": .string(asked)])
        #expect(answer.status == 400)
        #expect(answer.messages == [.duplicateIdentifier])
        #expect(await traits() == SelfServiceServer.traits())
        #expect(try await client.server.login("person2@example.org").status == 200)
    }

    @Test func `The change is rejected if the session that requested it has ended`() async throws {
        let flow = try await ask(["email": "new@example.org"])
        let ended = try await client.server.delete(
            "/self-service/logout/api",
            .object(["session_token": .string(client.token)])
        )
        #expect(ended.status == 204)
        let answer = try await prove("new@example.org", in: flow)
        #expect(answer.errorID == .flowReplaced)
        #expect(try await client.server.login("new@example.org").status == 400)
        #expect(try await client.server.login("person1@example.org").status == 200)
    }

    @Test func `The change is rejected if other traits have changed since it was submitted`() async throws {
        let flow = try await ask(["email": "new@example.org"])
        #expect(try await client.change(["name": "Kari"]).status == 200)
        let answer = try await prove("new@example.org", in: flow)
        #expect(answer.errorID == .flowReplaced)
        #expect(await traits()?["name"] == "Kari")
        #expect(await traits()?["email"] == "person1@example.org")
    }

    @Test func `Users can request another code`() async throws {
        let flow = try await ask(["email": "new@example.org"])
        let first = try await client.server.code(for: "new@example.org")
        client.server.time.advance(by: .seconds(31))
        let again = try await client.server.submitCode(.verification, flow, ["email": "new@example.org"])
        #expect(again["state"] == "sent_email")
        let second = try await client.server.code(for: "new@example.org")
        if first != second {
            let old = try await client.server.submitCode(.verification, flow, ["code": .string(first)])
            #expect(old.messages == [.wrongVerificationCode])
        }
        #expect(try await prove("new@example.org", in: flow)["state"] == "passed_challenge")
        #expect(await traits()?["email"] == "new@example.org")
    }

    @Test func `The change isn't applied if the code was sent to a different address`() async throws {
        let flow = try await ask(["email": "new@example.org"])
        _ = try await client.server.submitCode(.verification, flow, ["email": "person1@example.org"])
        let answer = try await prove("person1@example.org", in: flow)
        #expect(answer["state"] == "passed_challenge")
        #expect(await traits() == SelfServiceServer.traits())
    }

    @Test func `Requests that exceed the code limits are rejected and don't store anything`() async throws {
        _ = try await ask(["email": "new@example.org"])
        let flows = try await client.server.count("flows")
        let answer = try await client.change(["email": "new@example.org"])
        #expect(answer.status == 429)
        #expect(try await client.server.count("flows") == flows)
        #expect(try await client.server.count("codes") == 1)
    }

    @Test func `Concurrent submissions apply the change only once`() async throws {
        let flow = try await ask(["email": "new@example.org"])
        let code = JSONValue.string(try await client.server.code(for: "new@example.org"))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 {
                group.addTask { try await client.server.submitCode(.verification, flow, ["code": code]) }
            }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.count { $0["state"] == "passed_challenge" } == 1)
        let identity = try #require(
            await client.server.get("/sessions/whoami", token: client.token)["identity"]
        )
        #expect(identity["traits"]?["email"] == "new@example.org")
        let actions = try await client.server.resources.database.rows("SELECT action FROM audit")
            .map { try $0.text(0) }
        #expect(actions.count { $0 == "traits.changed" } == 1)
        #expect(actions.count { $0 == "address.verified" } == 1)
    }

    @Test func `Users can change a phone number that the schema requires to be verified`() async throws {
        let server = try await SelfServiceServer(schema: "customer") { $0.changes.verifiedFirst = .always }
        let token = try await server.customer()
        let flow = await server.begin(.settings, token: token)
        let body = JSONValue.object(["method": "profile", "traits": .object(["phone": "+439999999998"])])
        let asked = try await server.submit(.settings, flow, body, token: token)
        #expect(asked.status == 200)
        let verification = try #require(asked["continue_with"]?.first?["flow"]?["id"]?.text)
        let code = JSONValue.string(try await server.code(for: "+439999999998"))
        let done = try await server.submitCode(.verification, verification, ["code": code])
        #expect(done["state"] == "passed_challenge")
        let me = await server.get("/sessions/whoami", token: token)
        #expect(me["identity"]?["traits"]?["phone"] == "+439999999998")
    }
}
