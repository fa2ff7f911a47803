import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Flow responses` {
    private static let common: Set<String> = [
        "id", "organization_id", "type", "expires_at", "issued_at", "request_url", "ui", "state",
    ]
    private static let login = common.union(["created_at", "updated_at", "refresh", "requested_aal"])

    private func names(_ value: JSONValue?) -> Set<String> {
        Set((value?.members ?? [:]).keys)
    }

    @Test(arguments: [(FlowKind.login, login), (.registration, common)])
    func `Flows have the same members as in Kratos`(_ kind: FlowKind, _ members: Set<String>) async throws {
        let server = try await SelfServiceServer()
        let answer = await server.get("/self-service/\(kind.rawValue)/api")
        #expect(answer.status == 200)
        #expect(answer.response.headers["Content-Type"] == "application/json; charset=utf-8")
        #expect(names(answer.body) == members)
        #expect(answer["organization_id"] == .null)
        #expect(answer["type"] == "api")
        #expect(answer["state"] == "choose_method")
        let id = try #require(answer["id"]?.text)
        #expect(
            answer["ui"]?["action"]?.text
                == "https://id.example.com/a/self-service/\(kind.rawValue)?flow=\(id)"
        )
        #expect(answer["ui"]?["method"] == "POST")
        #expect(names(answer["ui"]) == ["action", "method", "nodes"])
        #expect(
            answer["request_url"]?.text == "https://id.example.com/a/self-service/\(kind.rawValue)/api"
        )
        let issued = try #require(Timestamp(rfc3339: answer["issued_at"]?.text ?? ""))
        #expect(issued == server.time.now)
        #expect(answer["expires_at"]?.text == (issued + .seconds(600)).description)
    }

    @Test(arguments: FlowKind.entrances)
    func `The shared type can decode every flow`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(kind)
        let answers = [
            await server.get("/self-service/\(kind.rawValue)/api"),
            await server.get("/self-service/\(kind.rawValue)/api?identity_schema=customer"),
            await server.get("/self-service/\(kind.rawValue)/flows?id=\(flow)"),
            try await server.submit(kind, flow, .object([:])),
            try await server.submit(kind, flow, .object(["method": "password", "identifier": "\"é\\\n"])),
            try await server.submit(
                kind,
                flow,
                .object(["method": "password", "traits": .object(["email": "x", "phone": .double(0.5)])])
            ),
        ]
        for answer in answers {
            let body = try JSONCoding.decode(FlowBody.self, from: answer.response.body)
            let twin = try JSONCoding.decode(JSONValue.self, from: JSONCoding.encode(body))
            var members = try #require(answer.body.members)
            // The shared type doesn't have members for values that are always null.
            #expect(members.removeValue(forKey: "organization_id") == .null)
            #expect(twin == .object(members))
        }
    }

    @Test func `Reading a flow again returns the same response`() async throws {
        let server = try await SelfServiceServer()
        let begun = await server.get("/self-service/login/api")
        server.time.advance(by: .seconds(599))
        let shown = await server.get("/self-service/login/flows?id=\(begun["id"]?.text ?? "")")
        #expect(shown.status == 200)
        #expect(shown.body == begun.body)
    }

    @Test(arguments: [
        ("login", "person", ["csrf_token", "identifier", "method", "password", "method"]),
        ("login", "customer", ["csrf_token", "identifier", "password", "method"]),
        (
            "registration", "person",
            ["csrf_token", "traits.email", "traits.phone", "traits.name", "method", "password", "method"]
        ),
        (
            "registration", "customer",
            [
                "csrf_token", "traits.name.first", "traits.name.last", "traits.phone", "traits.email",
                "password",
                "method",
            ]
        ),
    ]) func `Flows contain the schema's fields in order`(_ kind: String, _ schema: String, _ fields: [String])
        async throws
    {
        let server = try await SelfServiceServer(schema: schema)
        #expect(await server.get("/self-service/\(kind)/api").fields == fields)
    }

    @Test func `Nodes have the same attributes as in Kratos`() async throws {
        let server = try await SelfServiceServer { $0.codes.isLoginEnabled = false }
        let login = await server.get("/self-service/login/api")
        let registration = await server.get("/self-service/registration/api")
        func node(
            _ group: String,
            _ attributes: [String: JSONValue],
            _ label: (MessageID, [String: JSONValue]?)?
        ) -> JSONValue {
            var meta: [String: JSONValue] = [:]
            if let label {
                meta["label"] = .object(["id": .integer(Int64(label.0.rawValue)), "type": "info"])
                if let context = label.1 {
                    meta["label"] = .object([
                        "id": .integer(Int64(label.0.rawValue)), "type": "info", "context": .object(context),
                    ])
                }
            }
            let always: [String: JSONValue] = ["disabled": .bool(false), "node_type": "input"]
            return .object([
                "type": "input", "group": .string(group), "messages": .array([]), "meta": .object(meta),
                "attributes": .object(attributes.merging(always) { $1 }),
            ])
        }
        func expect(_ answer: Answer, _ field: String, _ expected: JSONValue, line: Int = #line) {
            #expect(answer.node(field)?.withoutLabelText == expected, "\(field), line \(line)")
        }
        expect(
            login,
            "csrf_token",
            node(
                "default",
                ["name": "csrf_token", "type": "hidden", "value": "", "required": .bool(true)],
                nil
            )
        )
        expect(
            login,
            "identifier",
            node(
                "default",
                ["name": "identifier", "type": "text", "value": "", "required": .bool(true)],
                (.identifier, nil)
            )
        )
        expect(
            login,
            "password",
            node(
                "password",
                [
                    "name": "password", "type": "password", "required": .bool(true),
                    "autocomplete": "current-password",
                ],
                (.password, nil)
            )
        )
        expect(
            login,
            "method",
            node(
                "password",
                ["name": "method", "type": "submit", "value": "password"],
                (.signInWithPassword, nil)
            )
        )
        expect(
            registration,
            "traits.email",
            node(
                "default",
                ["name": "traits.email", "type": "email", "required": .bool(true), "autocomplete": "email"],
                (.traitTitle, ["name": "traits.email", "title": "E-mail"])
            )
        )
        expect(
            registration,
            "traits.phone",
            node(
                "default",
                ["name": "traits.phone", "type": "tel", "required": .bool(true), "autocomplete": "tel"],
                (.traitTitle, ["name": "traits.phone", "title": "Phone number"])
            )
        )
        expect(
            registration,
            "traits.name",
            node(
                "default",
                ["name": "traits.name", "type": "text"],
                (.traitTitle, ["name": "traits.name", "title": "Name"])
            )
        )
        expect(
            registration,
            "password",
            node(
                "password",
                [
                    "name": "password", "type": "password", "required": .bool(true),
                    "autocomplete": "new-password",
                ],
                (.password, nil)
            )
        )
        expect(
            registration,
            "method",
            node("password", ["name": "method", "type": "submit", "value": "password"], (.signUp, nil))
        )
    }

    @Test func `If a schema has only one identifier, its title is used as the label`() async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let label = await server.get("/self-service/login/api").node("identifier")?["meta"]?["label"]
        #expect(label?.messageID == .traitTitle)
        #expect(label?["text"] == "Phone number")
        #expect(label?["context"] == .object(["name": "traits.phone", "title": "Phone number"]))
    }
}

extension JSONValue {
    /// A copy of the node without its label's text.
    fileprivate var withoutLabelText: JSONValue {
        guard case .object(var node) = self, case .object(var meta)? = node["meta"] else { return self }
        if case .object(var label)? = meta["label"] {
            label["text"] = nil
            meta["label"] = .object(label)
        }
        node["meta"] = .object(meta)
        return .object(node)
    }
}
