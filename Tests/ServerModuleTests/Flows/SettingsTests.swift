import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Settings flows` {
    @Test func `The form contains the identity's traits and the methods to change them`() async throws {
        let client = try await SettingsClient()
        let flow = await client.server.get("/self-service/settings/api", token: client.token)
        #expect(flow.status == 200)
        #expect(flow["state"] == "show_form")
        #expect(flow["organization_id"] == .null)
        #expect(flow["identity"]?["traits"] == SelfServiceServer.traits())
        #expect(
            flow.fields == [
                "csrf_token", "traits.email", "traits.phone", "traits.name", "method", "password", "method",
            ]
        )
        #expect(flow.value("traits.email") == "person1@example.org")
        #expect(flow.node("traits.email")?["group"] == "profile")
        let id = flow["id"]?.text ?? ""
        let shown = await client.server.get("/self-service/settings/flows?id=\(id)", token: client.token)
        #expect(shown.body == flow.body)
    }

    @Test(arguments: ["", "?id=", "?id=nonsense", "?id=ef23c1db-0000-4022-873c-cf26fc1372fa"])
    func `Requesting a flow with a missing or unknown id returns 404`(_ query: String) async throws {
        let client = try await SettingsClient()
        for kind in FlowKind.allCases {
            let path = "/self-service/\(kind.rawValue)/flows" + query
            #expect(await client.server.get(path, token: client.token).status == 404, "\(kind)")
        }
    }

    @Test func `A settings flow requires a session of the same identity`() async throws {
        let client = try await SettingsClient()
        let other = try #require(try await client.server.register(2)["session_token"]?.text)
        let path = "/self-service/settings"
        for (token, status, id): (String?, Int, ErrorID) in [
            (nil, 401, .sessionInactive), (other, 403, .identityMismatch),
        ] {
            if token == nil {
                let begun = await client.server.get(path + "/api")
                #expect(begun.status == 401)
                #expect(begun.errorID == .sessionInactive)
            }
            let shown = await client.server.get(path + "/flows?id=\(client.flow)", token: token)
            #expect(shown.status == status)
            #expect(shown.errorID == id)
            let body = JSONValue.object(["method": "profile", "traits": SelfServiceServer.traits(3)])
            let answer = try await client.server.submit(.settings, client.flow, body, token: token)
            #expect(answer.status == status)
            #expect(answer.errorID == id)
        }
    }

    @Test func `Users can change a trait`() async throws {
        let client = try await SettingsClient()
        let answer = try await client.change(["name": "Kari"])
        #expect(answer.status == 200)
        #expect(answer["state"] == "success")
        #expect(answer.messages == [.settingsSaved])
        #expect(answer["ui"]?["messages"]?.first?["type"] == "success")
        #expect(answer["identity"]?["traits"]?["name"] == "Kari")
        #expect(answer.value("traits.name") == "Kari")
        let me = await client.server.get("/sessions/whoami", token: client.token)
        #expect(me["identity"] == answer["identity"])
        // The settings flow can be submitted again.
        #expect(try await client.change(["name": "Ola"]).status == 200)
    }

    @Test func `Submitting unchanged traits succeeds`() async throws {
        #expect(try await SettingsClient().change([:]).status == 200)
    }

    @Test func `Errors in traits are shown in the form`() async throws {
        let client = try await SettingsClient()
        let answer = try await client.change(["phone": "12"])
        #expect(answer.status == 400)
        #expect(answer.messages("traits.phone") == [.invalidPhone])
        #expect(answer["identity"]?["traits"] == SelfServiceServer.traits())
        let missing = try await client.server.submit(
            .settings,
            client.flow,
            .object(["method": "profile"]),
            token: client.token
        )
        #expect(missing.messages("traits.email") == [.missing])
        let none = try await client.server.submit(.settings, client.flow, .object([:]), token: client.token)
        #expect(none.status == 400)
        #expect(none.messages == [.noSettingsStrategy])
    }

    @Test func `A form with errors shows what was submitted, even where the saved traits have more`()
        async throws
    {
        let client = try await SettingsClient()
        let answer = try await client.server.submit(
            .settings,
            client.flow,
            .object(["method": "profile", "traits": .object(["phone": "12"])]),
            token: client.token
        )
        #expect(answer.status == 400)
        #expect(answer.value("traits.phone") == "12")
        #expect(answer.value("traits.email") == nil)
    }

    @Test func `A submission without traits is rejected even if all traits are optional`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {"email": {"type": "string",
            "format": "email", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "loose", schemas: ["loose": schema])
        let registered = try await server.submit(
            .registration,
            await server.begin(.registration),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": .object(["email": "a@example.org"]),
            ])
        )
        let token = registered["session_token"]?.text
        let flow = await server.begin(.settings, token: token)
        let answer = try await server.submit(.settings, flow, .object(["method": "profile"]), token: token)
        #expect(answer.status == 400)
        #expect(answer.messages == [.validation])
    }

    @Test func `Identifiers can be changed after a recent login`() async throws {
        let client = try await SettingsClient()
        let answer = try await client.change(["email": "new@example.org"])
        #expect(answer.status == 200)
        #expect(try await client.server.login("new@example.org").status == 200)
        #expect(try await client.server.login("person1@example.org").status == 400)
        // The old identifier can be used again.
        #expect(
            try await client.server.submit(
                .registration,
                await client.server.begin(.registration),
                .object([
                    "method": "password", "password": .string(SelfServiceServer.password),
                    "traits": .object(["email": "person1@example.org", "phone": "+46709999999"]),
                ])
            ).status == 200
        )
    }

    @Test func `Changing identifiers requires a recent login, but changing other traits doesn't`()
        async throws
    {
        let client = try await SettingsClient { $0.sessions.privilegedAge = .seconds(900) }
        client.server.time.advance(by: .seconds(900))
        for answer in [
            try await client.change(["email": "new@example.org"]),
            try await client.change(["phone": "+46708888888"]),
            try await client.change(password: "another-Good-pass-9"),
        ] {
            #expect(answer.status == 403)
            #expect(answer.errorID == .sessionRefreshRequired)
            let place = try #require(answer["redirect_browser_to"]?.text)
            #expect(
                place.hasPrefix("https://id.example.com/a/self-service/login/browser?refresh=true&return_to=")
            )
        }
        #expect(try await client.change(["name": "Kari"]).status == 200)
        let refresh = await client.server.begin(.login, "?refresh=true", token: client.token)
        let credentials = JSONValue.object([
            "method": "password", "identifier": "person1@example.org",
            "password": .string(SelfServiceServer.password),
        ])
        let login = try await client.server.submit(.login, refresh, credentials, token: client.token)
        #expect(login.status == 200)
        // Re-authentication doesn't make the old token privileged.
        #expect(try await client.change(["email": "new@example.org"]).errorID == .sessionRefreshRequired)
        let change = try await client.server.submit(
            .settings,
            client.flow,
            .object([
                "method": "profile",
                "traits": .object(["email": "new@example.org", "phone": "+46701000001"]),
            ]),
            token: login["session_token"]?.text
        )
        #expect(change.status == 200)
    }

    @Test func `Changing an address that is only used for recovery requires a recent login`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "login": {"type": "string", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}},
              "backup": {"type": "string", "format": "email", "ory.sh/kratos": {"recovery": {"via": "email"}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "backup", schemas: ["backup": schema]) {
            $0.sessions.privilegedAge = .seconds(900)
            $0.changes.verifiedFirst = .never
        }
        let traits = { (backup: String) -> JSONValue in
            .object(["login": "person1", "backup": .string(backup)])
        }
        let registered = try await server.submit(
            .registration,
            await server.begin(.registration),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": traits("owner@example.org"),
            ])
        )
        let token = try #require(registered["session_token"]?.text, "\(registered.body)")
        let flow = await server.begin(.settings, token: token)
        let body = JSONValue.object(["method": "profile", "traits": traits("thief@example.org")])
        server.time.advance(by: .seconds(900) - .microseconds(1))
        #expect(try await server.submit(.settings, flow, body, token: token).status == 200)
        server.time.advance(by: .microseconds(1))
        let back = JSONValue.object(["method": "profile", "traits": traits("owner@example.org")])
        let answer = try await server.submit(.settings, flow, back, token: token)
        #expect(answer.status == 403)
        #expect(answer.errorID == .sessionRefreshRequired)
        let me = await server.get("/sessions/whoami", token: token)
        #expect(me["identity"]?["traits"] == traits("thief@example.org"))
    }

    @Test func `An identifier that another account uses is rejected`() async throws {
        let client = try await SettingsClient()
        try await client.server.register(2)
        try await client.server.confirmAll()
        let answer = try await client.change(["email": "person2@example.org"])
        #expect(answer.status == 400)
        #expect(answer.messages == [.duplicateIdentifier])
        let me = await client.server.get("/sessions/whoami", token: client.token)
        #expect(me["identity"]?["traits"]?["email"] == "person1@example.org")
    }

    @Test func `Changing an address sends a code to the new one if the setting is enabled`() async throws {
        let client = try await SettingsClient { $0.changes.sendsVerification = true }
        let answer = try await client.change(["email": "new@example.org"])
        let items = answer["continue_with"]?.elements ?? []
        #expect(items.map { $0["flow"]?["verifiable_address"]?.text } == ["new@example.org"])
        let code = JSONValue.string(try await client.server.code(for: "new@example.org"))
        let flow = items.first?["flow"]?["id"]?.text ?? ""
        #expect(
            try await client.server.submitCode(.verification, flow, ["code": code])["state"]
                == "passed_challenge"
        )
    }

    @Test func `The old address is notified if it was verified`() async throws {
        let client = try await SettingsClient()
        _ = try await client.change(["email": "second@example.org"])
        await client.server.messagesAreSent()
        #expect(client.server.inbox.messages(for: "person1@example.org").isEmpty)
        let flow = await client.server.begin(.verification)
        _ = try await client.server.submitCode(.verification, flow, ["email": "second@example.org"])
        let code = JSONValue.string(try await client.server.code(for: "second@example.org"))
        _ = try await client.server.submitCode(.verification, flow, ["code": code])
        _ = try await client.change(["email": "third@example.org"])
        await client.server.messagesAreSent()
        let kinds = client.server.inbox.messages(for: "second@example.org").map(\.template)
        #expect(kinds == ["verification_code_valid", "address_changed"])
    }

    @Test(arguments: [
        (SelfServiceServer.password, MessageID.passwordUnchanged), ("x", .passwordTooShort),
        ("person1@example.org", .passwordSimilar),
        ("", .missing),
        (String(repeating: "x", count: 1025), .passwordTooLong),
    ])
    func `An unchanged or weak password is rejected`(_ password: String, _ message: MessageID) async throws {
        let client = try await SettingsClient()
        let answer = try await client.change(password: password)
        #expect(answer.status == 400)
        #expect(answer.messages("password") == [message])
        #expect(answer.value("traits.email") == "person1@example.org")
        #expect(try await client.server.login().status == 200)
    }

    @Test func `Concurrent changes are each saved completely or not at all`() async throws {
        let client = try await SettingsClient()
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await client.change([
                        "email": .string("new\(number)@example.org"), "name": .string("\(number)"),
                    ])
                }
            }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.contains { $0.status == 200 })
        #expect(answers.allSatisfy { $0.status == 200 || $0.messages == [.validation] })
        let me = await client.server.get("/sessions/whoami", token: client.token)
        let name = me["identity"]?["traits"]?["name"]?.text ?? "?"
        #expect(me["identity"]?["traits"]?["email"]?.text == "new\(name)@example.org")
        #expect(try await client.server.count("identifiers") == 2)
        #expect(try await client.server.login("new\(name)@example.org").status == 200)
    }

    @Test func `A submission is rejected once the flow has expired`() async throws {
        let client = try await SettingsClient()
        client.server.time.advance(by: .seconds(3600))
        let answer = try await client.change(["name": "Kari"])
        #expect(answer.status == 410)
        #expect(answer.errorID == .flowExpired)
        let next = answer["use_flow_id"]?.text ?? ""
        let shown = await client.server.get("/self-service/settings/flows?id=\(next)", token: client.token)
        #expect(shown.messages == [.settingsExpired])
    }

    @Test(arguments: [true, false])
    func `A new phone number waits for its code if the schema requires a verified one`(
        isVerificationEnabled: Bool
    ) async throws {
        let server = try await SelfServiceServer(schema: "customer") {
            $0.verification.isEnabled = isVerificationEnabled
        }
        let token = try await server.customer()
        let flow = await server.begin(.settings, token: token)
        let body = JSONValue.object(["method": "profile", "traits": .object(["phone": "+439999999998"])])
        let answer = try await server.submit(.settings, flow, body, token: token)
        let me = await server.get("/sessions/whoami", token: token)
        #expect(me["identity"]?["traits"]?["phone"] == "+439999999999")
        guard isVerificationEnabled else {
            #expect(answer.status == 400)
            #expect(answer.messages("traits.phone") == [.addressNotVerified])
            return
        }
        #expect(answer.status == 200)
        #expect(answer["continue_with"]?.first?["flow"]?["verifiable_address"] == "+439999999998")
    }
}
