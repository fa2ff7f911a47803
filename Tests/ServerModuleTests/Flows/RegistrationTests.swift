import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Registration with a password` {
    @Test func `Registration creates an identity and its first session`() async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.register()
        #expect(answer.status == 200)
        #expect(answer.response.headers["Content-Type"] == "application/json; charset=utf-8")
        #expect(
            Set(answer.body.members?.keys ?? [:].keys)
                == ["session_token", "session", "identity", "continue_with"]
        )
        let token = try #require(answer["session_token"])
        #expect(
            answer["continue_with"]
                == .array([.object(["action": "set_ory_session_token", "ory_session_token": token])])
        )
        let whoami = await server.get("/sessions/whoami", token: token.text)
        #expect(whoami.body == answer["session"])
        #expect(whoami["identity"] == answer["identity"])
        #expect(try await server.login().status == 200)
    }

    @Test func `The response contains the same members as in Kratos`() async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.register()
        let identity = try #require(answer["identity"]?.members)
        #expect(
            Set(identity.keys) == [
                "id", "schema_id", "schema_url", "state", "state_changed_at", "traits",
                "verifiable_addresses",
                "recovery_addresses", "metadata_public", "created_at", "updated_at", "organization_id",
            ]
        )
        #expect(identity["schema_url"] == "https://id.example.com/a/schemas/cGVyc29u")
        #expect(identity["state"] == "active")
        #expect(identity["traits"] == SelfServiceServer.traits())
        let times = JSONValue.string(server.time.now.description)
        func addresses(_ name: String) throws -> [[String: JSONValue]] {
            guard case .array(let addresses)? = identity[name] else { return [] }
            return try addresses.map { address in
                var members = try #require(address.members)
                #expect(Identifier(members.removeValue(forKey: "id")?.text ?? "") != nil)
                return members
            }
        }
        #expect(
            try addresses("verifiable_addresses") == [
                [
                    "value": "person1@example.org", "verified": .bool(false), "via": "email",
                    "status": "pending",
                    "created_at": times, "updated_at": times,
                ],
                [
                    "value": "+46701000001", "verified": .bool(false), "via": "sms", "status": "pending",
                    "created_at": times, "updated_at": times,
                ],
            ]
        )
        #expect(
            try addresses("recovery_addresses") == [
                ["value": "person1@example.org", "via": "email", "created_at": times, "updated_at": times]
            ]
        )
        let session = try #require(answer["session"]?.members)
        #expect(
            Set(session.keys) == [
                "id", "active", "expires_at", "authenticated_at", "authenticator_assurance_level",
                "authentication_methods", "issued_at", "identity", "devices",
            ]
        )
        #expect(session["expires_at"]?.text == (server.time.now + .seconds(30 * 86_400)).description)
        #expect(
            session["authentication_methods"]
                == .array([.object(["method": "password", "aal": "aal1", "completed_at": times])])
        )
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var password: JSONValue? = .string(SelfServiceServer.password)
        var traits: JSONValue? = SelfServiceServer.traits()
        var fields: [String: [MessageID]] = [:]
    }

    @Test(arguments: [
        Row(testDescription: "no password", password: nil, fields: ["password": [.missing]]),
        Row(testDescription: "empty password", password: "", fields: ["password": [.missing]]),
        Row(
            testDescription: "number as password",
            password: .integer(12_345_678),
            fields: ["password": [.wrongType]]
        ),
        Row(testDescription: "short password", password: "abc", fields: ["password": [.passwordTooShort]]),
        Row(
            testDescription: "long password",
            password: .string(String(repeating: "aB3-", count: 300)),
            fields: ["password": [.passwordTooLong]]
        ),
        Row(
            testDescription: "similar password",
            password: "person1@example.org",
            fields: ["password": [.passwordSimilar]]
        ),
        Row(
            testDescription: "no traits",
            traits: nil,
            fields: ["traits.email": [.missing], "traits.phone": [.missing]]
        ),
        Row(
            testDescription: "an empty body",
            password: nil,
            traits: nil,
            fields: ["traits.email": [.missing], "traits.phone": [.missing], "password": [.missing]]
        ),
        Row(testDescription: "text as traits", traits: "x", fields: ["traits": [.wrongType]]),
        Row(
            testDescription: "bad e-mail address",
            traits: .object(["email": "no-at", "phone": "+46701000001"]),
            fields: ["traits.email": [.invalidEmail]]
        ),
        Row(
            testDescription: "bad phone number",
            traits: .object(["email": "person1@example.org", "phone": "hello"]),
            fields: ["traits.phone": [.invalidPhone]]
        ),
        Row(
            testDescription: "wrong type",
            traits: .object(["email": "person1@example.org", "phone": "+46701000001", "name": .integer(5)]),
            fields: ["traits.name": [.wrongType]]
        ),
        Row(
            testDescription: "unknown trait",
            traits: .object(["email": "person1@example.org", "phone": "+46701000001", "zzz": "x"]),
            fields: ["traits": [.validation]]
        ),
        Row(
            testDescription: "bad traits, and a password not judged before they are right",
            password: "abc",
            traits: .object(["email": "no-at", "phone": "+46701000001"]),
            fields: ["traits.email": [.invalidEmail], "password": []]
        ),
    ]) func `Invalid fields are reported`(_ row: Row) async throws {
        let server = try await SelfServiceServer()
        var body: [String: JSONValue] = ["method": "password"]
        body["password"] = row.password
        body["traits"] = row.traits
        let work = server.hasher.work
        let answer = try await server.submit(.registration, await server.begin(.registration), .object(body))
        #expect(answer.status == 400)
        #expect(answer.messages.isEmpty)
        for field in Set(answer.fields) {
            #expect(answer.messages(field) == row.fields[field] ?? [], "\(field)")
        }
        for field in row.fields.keys { #expect(answer.fields.contains(field)) }
        #expect(answer.value("password") == nil)
        #expect(answer.value("traits.phone") == row.traits?["phone"])
        #expect(server.hasher.work == work)
    }

    @Test(
        arguments: [
            ["email": "Person1@example.org", "phone": "+46702222222"],
            ["email": "other@example.org", "phone": "+46 70 1000001"],
        ] as [[String: JSONValue]]
    ) func `An identifier that another account uses is rejected`(_ traits: [String: JSONValue])
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.registration)
        let body = JSONValue.object([
            "method": "password", "password": "another-Good-1", "traits": .object(traits),
        ])
        let answer = try await server.submit(.registration, flow, body)
        #expect(answer.status == 400)
        #expect(answer.messages == [.duplicateIdentifier])
        #expect(answer.value("traits.email") == traits["email"])
        // The failed attempt doesn't leave any rows behind, and the flow can still be used.
        for table in ["identities", "passwords", "sessions"] {
            #expect(try await server.count(table) == 1, "\(table)")
        }
        #expect(try await server.count("identifiers") == 2)
        let other = JSONValue.object([
            "method": "password", "password": "another-Good-1", "traits": SelfServiceServer.traits(5),
        ])
        #expect(try await server.submit(.registration, flow, other).status == 200)
    }

    @Test func `A user name that another account uses is rejected`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "required": ["nick"], "properties": {
              "nick": {"type": "string", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema])
        func register(_ nick: String) async throws -> Answer {
            try await server.submit(
                .registration,
                await server.begin(.registration),
                .object([
                    "method": "password", "password": .string(SelfServiceServer.password),
                    "traits": .object(["nick": .string(nick)]),
                ])
            )
        }
        let first = try await register("Ann")
        #expect(first.status == 200)
        #expect(first["identity"]?["verifiable_addresses"] == nil)
        #expect(try await register(" ann ").messages == [.duplicateIdentifier])
        #expect(try await server.count("identities") == 1)
        #expect(try await server.login("ANN").status == 200)
    }

    @Test func `Concurrent submissions create only one identity`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        var flows = [String](repeating: flow, count: 10)
        for _ in 0..<10 { flows.append(await server.begin(.registration)) }
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(),
        ])
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for flow in flows { group.addTask { try await server.submit(.registration, flow, body) } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(
            answers.allSatisfy { [200, 410].contains($0.status) || $0.messages == [.duplicateIdentifier] }
        )
        for table in ["identities", "sessions", "passwords"] { #expect(try await server.count(table) == 1) }
        #expect(try await server.count("addresses") == 3)
    }

    @Test func `Registration returns 503 while the hasher is overloaded`() async throws {
        let server = try await SelfServiceServer()
        server.hasher.fail(with: .overloaded(retryAfter: 2))
        let answer = try await server.register()
        #expect(answer.status == 503)
        #expect(answer.response.headers["Retry-After"] == "2")
        #expect(try await server.count("identities") == 0)
    }

    @Test func `Registration is rejected if it is disabled or only open to operators`() async throws {
        let off = try await SelfServiceServer { $0.registration.isEnabled = false }
        let business = try await SelfServiceServer(schema: "business")
        for server in [off, business] {
            let flows = server.flows
            let id = flows.begin(.registration, at: server.time.now, random: SystemRandom()).id
            let answer = try await server.submit(
                .registration,
                id.description,
                .object([
                    "method": "password", "password": .string(SelfServiceServer.password),
                    "traits": SelfServiceServer.traits(),
                ])
            )
            #expect(answer.status == 400)
            #expect(answer.errorID == .flowDisabled)
        }
    }
}
