import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Starting a flow` {
    @Test(arguments: FlowKind.entrances) func `Starting a flow doesn't access the database`(_ kind: FlowKind)
        async throws
    {
        let server = try await SelfServiceServer()
        // A server reads the documents in the background.
        _ = try await server.assembly.terms.documents()
        let counts = await server.database.counts {
            _ = await server.get("/self-service/\(kind.rawValue)/api")
            _ = await server.get("/self-service/\(kind.rawValue)/api?foo=bar&return_to=")
        }
        #expect(counts == CountingDatabase.Counts())
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let path: String
        var withSession = false
        let status: Int
        var id: ErrorID?
        var body: [String: JSONValue] = [:]
        var messages: [MessageID] = []

        var testDescription: String { path + (withSession ? " with a session" : "") }
    }

    @Test(arguments: [
        Row(path: "login/api", status: 200, body: ["refresh": .bool(false), "requested_aal": "aal1"]),
        Row(path: "login/api", withSession: true, status: 400, id: .sessionAlreadyAvailable),
        Row(path: "login/api?aal=aal1", withSession: true, status: 400, id: .sessionAlreadyAvailable),
        Row(path: "login/api?refresh=zz", withSession: true, status: 400, id: .sessionAlreadyAvailable),
        Row(
            path: "login/api?refresh=true",
            withSession: true,
            status: 200,
            body: ["refresh": .bool(true)],
            messages: [.reauthenticate]
        ),
        Row(path: "login/api?refresh=true", status: 200, body: ["refresh": .bool(false)]),
        Row(path: "login/api?aal=aal2", status: 401, id: .sessionAAL1Required),
        Row(
            path: "login/api?aal=aal2",
            withSession: true,
            status: 200,
            body: ["requested_aal": "aal2", "refresh": .bool(false)],
            messages: [.secondFactor]
        ),
        Row(
            path: "login/api?aal=aal2&refresh=true",
            withSession: true,
            status: 200,
            body: ["requested_aal": "aal2", "refresh": .bool(true)],
            messages: [.reauthenticate, .secondFactor]
        ),
        Row(path: "login/api?aal=zz", status: 400),
        Row(path: "login/api?aal=zz", withSession: true, status: 400),
        Row(path: "login/api?aal=", status: 200),
        Row(path: "login/api?identity_schema=nope", status: 400),
        Row(
            path: "login/api?identity_schema=customer",
            status: 200,
            body: [
                "identity_schema": "customer",
                "request_url": "https://id.example.com/a/self-service/login/api?identity_schema=customer",
            ]
        ),
        Row(
            path: "login/api?return_to=https://evil.example/",
            status: 400,
            id: .returnToForbidden
        ),
        Row(
            path: "login/api?return_to=HTTPS%3A%2F%2FApp.example.com%3A443%2Fx",
            status: 200,
            body: ["return_to": "https://app.example.com/x"]
        ),
        Row(path: "registration/api", status: 200),
        Row(path: "registration/api", withSession: true, status: 400, id: .sessionAlreadyAvailable),
        Row(path: "registration/api?refresh=true&aal=aal2", status: 200),
        Row(path: "registration/api?identity_schema=nope", status: 400, id: .flowDisabled),
        Row(
            path: "registration/api?identity_schema=customer",
            status: 200,
            body: ["identity_schema": "customer"]
        ),
        Row(path: "registration/api?identity_schema=business", status: 400, id: .flowDisabled),
        Row(
            path: "registration/api?return_to=https://evil.example/",
            status: 400,
            id: .returnToForbidden
        ),
        Row(path: "login/flows", status: 404),
        Row(path: "login/flows?id=zz", status: 404),
        Row(path: "login/flows?id=00000000-0000-4000-8000-000000000000", status: 404),
    ]) func `Starting a flow returns the same responses as Kratos`(_ row: Row) async throws {
        let server = try await SelfServiceServer { $0.flows.returnURLs = ["https://app.example.com/"] }
        let token = try #require(try await server.register()["session_token"]?.text)
        let answer = await server.get("/self-service/" + row.path, token: row.withSession ? token : nil)
        #expect(answer.status == row.status)
        #expect(answer.errorID == row.id)
        for (name, value) in row.body { #expect(answer[name] == value, "\(name)") }
        #expect(answer.messages == row.messages)
        #expect((answer["ui"] != nil) == (row.status == 200))
        if row.status == 200 {
            let kind = row.path.prefix { $0 != "/" }
            let shown = await server.get("/self-service/\(kind)/flows?id=\(answer["id"]?.text ?? "")")
            #expect(shown.body == answer.body)
        } else {
            #expect(answer["error"]?["code"] == .integer(Int64(row.status)))
        }
    }

    @Test(arguments: ["login/api", "login/api?refresh=true", "login/api?aal=aal2", "settings/api"])
    func `The response to HEAD has the length of a new flow, but no flow is started`(
        _ path: String
    ) async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let parts = path.split(separator: "?").map(String.init)
        var request = HTTP.Request(.head, "/a/self-service/" + parts[0], query: parts.dropFirst().first)
        if path != "login/api" { request.headers["X-Session-Token"] = token }
        let state = { @Sendable in
            var metrics = MetricsText()
            for source in server.assembly.moduleMetrics { await source.write(to: &metrics) }
            return (metrics.text, try await server.resources.database.rows("SELECT id FROM flows").count)
        }
        let before = try await state()

        let head = await server.send(request)
        #expect(try await state() == before)

        request.method = .get
        let get = await server.send(request)
        #expect(get.status == 200 && head.status == 200)
        #expect(head.response.body.count == get.response.body.count)
    }

    @Test(arguments: ["unknown", "revoked", "expired", "provisional"])
    func `An invalid session token is ignored`(_ kind: String) async throws {
        let server = try await SelfServiceServer()
        var token = try #require(try await server.register()["session_token"]?.text)
        switch kind {
        case "unknown": token = "lk_st_zzz"
        case "revoked":
            _ = try await server.delete(
                "/self-service/logout/api",
                .object(["session_token": .string(token)])
            )
        case "expired": server.time.advance(by: .seconds(31 * 86_400))
        default:
            try await server.resources.database.transaction { transaction in
                _ = try transaction.execute("UPDATE sessions SET needs_certificate = 1")
            }
        }
        #expect(await server.get("/self-service/login/api", token: token).status == 200)
        #expect(await server.get("/self-service/registration/api", token: token).status == 200)
    }

    @Test func `Re-authentication shows the identifier field if codes are enabled`() async throws {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register()["session_token"]?.text)
        let answer = await server.get("/self-service/login/api?refresh=true", token: token)
        #expect(answer.messages == [.reauthenticate])
        #expect(answer.node("identifier")?["attributes"]?["type"] == "text")
        #expect(answer.value("identifier") == "")
    }

    @Test func `Re-authentication hides the identifier field if codes are disabled`() async throws {
        let server = try await SelfServiceServer { $0.codes.isLoginEnabled = false }
        let token = try #require(try await server.register()["session_token"]?.text)
        let answer = await server.get("/self-service/login/api?refresh=true", token: token)
        #expect(answer.node("identifier")?["attributes"]?["type"] == "hidden")
        #expect(answer.value("identifier") == "+46701000001")
        #expect(answer.label("method") == .signIn)
    }

    @Test func `A registration can't be started if registration is disabled`() async throws {
        let server = try await SelfServiceServer { $0.registration.isEnabled = false }
        let answer = await server.get("/self-service/registration/api")
        #expect(answer.status == 400)
        #expect(answer.errorID == .flowDisabled)
    }

    @Test(arguments: FlowKind.entrances)
    func `The id of a flow is rejected by other kinds of flow`(_ kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        let other: FlowKind = kind == .login ? .registration : .login
        for query in ["", "?identity_schema=customer"] {
            let flow = await server.begin(kind, query)
            #expect(await server.get("/self-service/\(other.rawValue)/flows?id=\(flow)").status == 404)
            #expect(try await server.submit(other, flow, .object(["method": "password"])).status == 404)
        }
    }
}
