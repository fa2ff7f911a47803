import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Submitting a login or registration flow` {
    @Test(arguments: FlowKind.entrances)
    func `A submission without a valid flow id is rejected`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        for (query, status) in [
            ("", 400), ("?flow=", 400), ("?flow=zz", 400),
            ("?flow=00000000-0000-4000-8000-000000000000", 404),
        ] {
            let answer = try await server.post("/self-service/\(kind.rawValue)\(query)", .object([:]))
            #expect(answer.status == status)
            #expect(answer["error"]?["code"] == .integer(Int64(status)))
            #expect(answer.errorID == nil)
            #expect(answer.response.headers["Content-Type"] == "application/json")
        }
    }

    @Test(arguments: [(FlowKind.login, MessageID.noLoginStrategy), (.registration, .noRegistrationStrategy)])
    func `A submission without a method is rejected`(_ kind: FlowKind, _ message: MessageID) async throws {
        let server = try await SelfServiceServer()
        for body: JSONValue in [
            .object([:]), .object(["method": "frob"]), .object(["method": .integer(5)]),
            .object(["method": ""]),
            .object(["identifier": "a", "password": "b"]), .object(["traits": SelfServiceServer.traits()]),
            .object(["method": "totp"]),
        ] {
            let flow = await server.begin(kind)
            let answer = try await server.submit(kind, flow, body)
            #expect(answer.status == 400)
            #expect(answer.messages == [message])
            #expect(answer["id"]?.text == flow)
            #expect(answer.response.headers["Content-Type"] == "application/json; charset=utf-8")
            #expect(answer["active"] == nil)
        }
    }

    @Test(arguments: FlowKind.entrances)
    func `An empty body is treated like a missing method`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(kind)
        let request = HTTP.Request(.post, "/a/self-service/\(kind.rawValue)", query: "flow=\(flow)")
        #expect(
            await server.send(request).messages == [
                kind == .login ? .noLoginStrategy : .noRegistrationStrategy
            ]
        )
    }

    @Test(arguments: FlowKind.entrances, ["code", "oidc", "profile"])
    func `Submitting a disabled method returns 404`(_ kind: FlowKind, _ method: String) async throws {
        let server = try await SelfServiceServer { $0.codes.isLoginEnabled = false }
        let answer = try await server.submit(
            kind,
            await server.begin(kind),
            .object(["method": .string(method)])
        )
        #expect(answer.status == 404)
        #expect(answer["error"]?["code"] == .integer(404))
    }

    @Test(arguments: FlowKind.entrances)
    func `Submitting a password returns 404 if passwords are disabled`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer { $0.passwords.isLoginEnabled = false }
        let answer = try await server.submit(kind, await server.begin(kind), .object(["method": "password"]))
        #expect(answer.status == 404)
    }

    @Test(arguments: FlowKind.entrances)
    func `A submission from a browser is rejected`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        let body = JSONValue.object(["method": "password"])
        for headers: HTTP.Headers in [
            ["Origin": "https://example.org"], ["Cookie": "a=b"], ["Cookie": "__cf_bm=x; a=b"],
        ] {
            let flow = await server.begin(kind)
            let answer = try await server.submit(kind, flow, body, headers: headers)
            #expect(answer.status == 400)
            #expect(answer.messages == [.validation])
            #expect(answer["ui"]?["messages"] != nil)
        }
        let proxied = try await server.submit(
            kind,
            await server.begin(kind),
            body,
            headers: ["Cookie": "__cf_bm=x; cf_clearance=y"]
        )
        #expect(!proxied.messages.contains(.validation))
    }

    @Test(
        arguments: FlowKind.entrances,
        [
            ("application/json", "{"), ("application/json", "[]"), ("application/json", "\"x\""),
            ("application/json", "{\"method\":\"password\",\"method\":\"x\"}"), ("text/plain", "{}"),
            ("", "{}"),
            ("multipart/form-data", "x"),
        ]
    ) func `If the body isn't an object, the flow contains an error message`(
        _ kind: FlowKind,
        _ body: (type: String, text: String)
    ) async throws {
        let server = try await SelfServiceServer()
        var request = HTTP.Request(
            .post,
            "/a/self-service/\(kind.rawValue)",
            query: "flow=" + (await server.begin(kind)),
            headers: ["Content-Type": body.type]
        )
        request.body = Array(body.text.utf8)
        let answer = await server.send(request)
        #expect(answer.status == 400)
        #expect(answer.messages == [.validation])
        let context: JSONValue? =
            if case .array(let messages)? = answer["ui"]?["messages"] { messages.first?["context"] } else {
                nil
            }
        #expect(context?["reason"]?.text?.isEmpty == false)
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "Application/JSON ;charset=UTF-8",
    ])
    func `JSON is accepted with any spelling of its media type`(_ type: String) async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.submit(
            .login,
            await server.begin(.login),
            .object(["method": "password", "identifier": "a", "password": "b"]),
            headers: ["Content-Type": type]
        )
        #expect(answer.messages == [.invalidCredentials])
    }

    @Test func `URL-encoded forms can be submitted`() async throws {
        let server = try await SelfServiceServer()
        func submit(_ kind: FlowKind, _ body: String) async -> Answer {
            var request = HTTP.Request(
                .post,
                "/a/self-service/\(kind.rawValue)",
                query: "flow=" + (await server.begin(kind)),
                headers: ["Content-Type": "application/x-www-form-urlencoded"]
            )
            request.body = Array(body.utf8)
            return await server.send(request)
        }
        let registered = await submit(
            .registration,
            "method=password&password=correct-Horse-7&traits.email=a%40b.cc&traits.phone=%2B46701234567&traits.name="
        )
        #expect(registered.status == 200)
        #expect(registered["identity"]?["traits"] == .object(["email": "a@b.cc", "phone": "+46701234567"]))
        #expect(
            await submit(.login, "method=password&password=correct-Horse-7&identifier=a%40b.cc").status == 200
        )
        let refused = await submit(.registration, "method=password&password=correct-Horse-7&traits.email=bad")
        #expect(refused.messages("traits.email") == [.invalidEmail])
        #expect(refused.messages("traits.phone") == [.missing])
    }

    @Test(arguments: [(256, MessageID.invalidCredentials), (257, .validation)])
    func `A form can have at most 256 fields`(fields: Int, message: MessageID) async throws {
        let server = try await SelfServiceServer()
        var request = HTTP.Request(
            .post,
            "/a/self-service/login",
            query: "flow=" + (await server.begin(.login)),
            headers: ["Content-Type": "application/x-www-form-urlencoded"]
        )
        let body = "method=password&password=x&identifier=y" + String(repeating: "&a", count: fields - 3)
        request.body = Array(body.utf8)

        let answer = await server.send(request)

        #expect(answer.status == 400)
        #expect(answer.messages == [message])
    }

    @Test func `A body that is too large is rejected`() async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.submit(
            .login,
            await server.begin(.login),
            .object(["method": "password", "identifier": .string(String(repeating: "a", count: 70_000))])
        )
        #expect(answer.status == 413)
    }

    @Test(arguments: [(FlowKind.login, MessageID.loginExpired), (.registration, .registrationExpired)])
    func `A submission is rejected once the flow has expired`(_ kind: FlowKind, _ message: MessageID)
        async throws
    {
        let server = try await SelfServiceServer()
        for query in ["", "?identity_schema=customer"] {
            let flow = await server.begin(kind, query)
            let end = server.time.now + .seconds(600)
            server.time.advance(by: .seconds(600))
            let shown = await server.get("/self-service/\(kind.rawValue)/flows?id=\(flow)")
            #expect(shown.status == 410)
            #expect(shown.errorID == .flowExpired)
            server.time.advance(by: .seconds(2))
            let answer = try await server.submit(kind, flow, .object(["method": "password"]))
            #expect(answer.status == 410)
            #expect(answer.errorID == .flowExpired)
            #expect(answer["error"]?["code"] == .integer(410))
            #expect(answer["expired_at"]?.text == end.description)
            #expect(answer["since"] == .integer(2_000_000_000))
            let next = try #require(answer["use_flow_id"]?.text)
            #expect(next != flow)
            let replacement = await server.get("/self-service/\(kind.rawValue)/flows?id=\(next)")
            #expect(replacement.status == 200)
            #expect(replacement.messages == [message])
            #expect(replacement["identity_schema"]?.text == (query.isEmpty ? nil : "customer"))
        }
    }

    @Test(arguments: FlowKind.entrances)
    func `A submission is rejected once the flow has been completed`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        try await server.register(2)
        let flow = await server.begin(kind)
        let body: JSONValue =
            kind == .login
            ? .object([
                "method": "password", "identifier": "person2@example.org",
                "password": .string(SelfServiceServer.password),
            ])
            : .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(3),
            ])
        #expect(try await server.submit(kind, flow, body).status == 200)
        let again = try await server.submit(kind, flow, body)
        #expect(again.status == 410)
        #expect(again.errorID == .flowExpired)
        let next = try #require(again["use_flow_id"]?.text)
        #expect(await server.get("/self-service/\(kind.rawValue)/flows?id=\(next)").status == 200)
        let shown = await server.get("/self-service/\(kind.rawValue)/flows?id=\(flow)")
        #expect(shown["active"] == "password")
        #expect(shown.messages.isEmpty)
        #expect(shown.value("traits.email") == nil)
    }

    @Test func `A user who is already logged in can't submit a login or a registration`()
        async throws
    {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let body = JSONValue.object(["method": "password"])
        let flow = await server.begin(.login)
        let login = try await server.submit(.login, flow, body, token: token)
        #expect(login.status == 400)
        #expect(login.messages == [.validation])
        let registration = try await server.submit(
            .registration,
            await server.begin(.registration),
            body,
            token: token
        )
        #expect(registration.status == 400)
        #expect(registration.errorID == .sessionAlreadyAvailable)
        #expect(registration["ui"] == nil)
        // The session is checked before the flow's expiry.
        server.time.advance(by: .seconds(700))
        #expect(try await server.submit(.login, flow, body, token: token).messages == [.validation])
        #expect(try await server.submit(.login, flow, body).status == 410)
    }

    @Test(arguments: FlowKind.entrances)
    func `Validation errors are stored in the flow`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(kind)
        let answer = try await server.submit(
            kind,
            flow,
            .object(["method": "password", "identifier": "a", "traits": .object(["email": "no-at"])])
        )
        let shown = await server.get("/self-service/\(kind.rawValue)/flows?id=\(flow)")
        #expect(shown.messages == answer.messages)
        for field in ["password", "traits.email", "traits.phone"] {
            #expect(shown.messages(field) == answer.messages(field))
        }
        // A response only contains the messages for its own submission.
        let next = try await server.submit(kind, flow, .object([:]))
        #expect(next.messages.count == 1)
        #expect(next.messages("password").isEmpty)
        #expect(next.value("traits.email") == nil)
    }
}
