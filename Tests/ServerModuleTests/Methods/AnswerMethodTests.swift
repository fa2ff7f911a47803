import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestContract
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService

/// The server with one more method in its list, and no other change.
@Suite("A method of another module", .onEachDatabase)
struct AnswerMethodTests {
    private let server: SelfServiceServer
    private let token: String
    private let identity: Identifier

    init() async throws {
        server = try await SelfServiceServer(methods: .builtIn + [AnswerMethod.self])
        let answer = try await server.register()
        token = try #require(answer["session_token"]?.text)
        identity = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
    }

    private func setAnswer(_ answer: JSONValue = "blue") async throws -> Answer {
        try await server.submit(
            .settings,
            await server.begin(.settings, token: token),
            .object(["method": "answer", "answer": answer]),
            token: token
        )
    }

    /// Starts the second step of a login.
    private func secondStep(_ query: String = "?aal=aal2", token other: String? = nil) async -> Answer {
        await server.get("/self-service/login/api" + query, token: other ?? token)
    }

    private func give(
        _ answer: JSONValue,
        in flow: String,
        token other: String? = nil
    ) async throws -> Answer {
        try await server.submit(
            .login,
            flow,
            .object(["method": "answer", "answer": answer]),
            token: other ?? token
        )
    }

    private func methods(of session: JSONValue?) -> [String] {
        guard case .array(let methods)? = session?["authentication_methods"] else { return [] }
        return methods.compactMap { method in
            method["method"]?.text.flatMap { name in method["aal"]?.text.map { name + " " + $0 } }
        }
    }

    @Test func `It is offered in the settings after the methods of the server`() async throws {
        let flow = await server.get("/self-service/settings/api", token: token)
        #expect(flow.groups.suffix(2) == ["answer", "answer"])
        #expect(flow.groups.filter { $0 == "password" }.count == 2)
    }

    @Test func `The OpenAPI document lists its name and fields for the flows that have it`() async throws {
        let schemas = await server.get("/openapi.json")["components"]?["schemas"]
        func names(_ schema: String, in member: String) -> [String] {
            guard case .array(let values)? = schemas?[schema]?["properties"]?[member]?["enum"] else {
                return []
            }
            return values.compactMap(\.text)
        }
        #expect(names("LoginSubmission", in: "method") == ["code", "password", "answer"])
        #expect(names("LoginFlow", in: "active") == ["code", "password", "answer"])
        #expect(names("RecoverySubmission", in: "method") == ["code"])
        #expect(schemas?["SettingsSubmission"]?["properties"]?["answer"] != nil)
        #expect(schemas?["RegistrationSubmission"]?["properties"]?["answer"] == nil)
    }

    @Test func `A credential is stored as the method's own secret`() async throws {
        #expect(try await setAnswer().status == 200)
        #expect(try await setAnswer("green").status == 200)
        let credentials = try await server.database.transaction { [identity] transaction in
            try CredentialRepository.all(of: identity, method: "answer", in: transaction)
        }
        #expect(credentials.count == 1)
        #expect(credentials.first?.createdAt == server.time.now)
        #expect(try await setAnswer("").status == 400)
    }

    @Test func `The second step has its own form, and raises the level of the session`() async throws {
        _ = try await setAnswer()
        let flow = await secondStep()
        #expect(flow.groups == ["default", "answer", "answer"])
        #expect(flow["requested_aal"] == "aal2")
        let id = try #require(flow["id"]?.text)
        #expect(try await give("red", in: id).status == 400)
        let answer = try await give("blue", in: id)
        #expect(answer.status == 200)
        #expect(answer["session"]?["authenticator_assurance_level"] == "aal2")
        #expect(methods(of: answer["session"]) == ["password aal1", "answer aal2"])
        let raised = try #require(answer["session_token"]?.text)
        let session = await server.get("/sessions/whoami", token: raised)
        #expect(session["authenticator_assurance_level"] == "aal2")
        #expect(methods(of: session.body) == ["password aal1", "answer aal2"])
        #expect(session["id"] == answer["session"]?["id"])
    }

    @Test func `The first step doesn't offer a second factor`() async throws {
        _ = try await setAnswer()
        let flow = await server.get("/self-service/login/api")
        #expect(!flow.groups.contains("answer"))
        let id = try #require(flow["id"]?.text)
        let refused = try await server.submit(.login, id, .object(["method": "answer", "answer": "blue"]))
        #expect(refused.status == 404)
    }

    @Test func `A first factor can't be used in the second step`() async throws {
        let id = try #require(await secondStep()["id"]?.text)
        let refused = try await server.submit(
            .login,
            id,
            .object([
                "method": "password", "identifier": "person1@example.org",
                "password": .string(SelfServiceServer.password),
            ]),
            token: token
        )
        #expect(refused.status == 404)
    }

    @Test func `The second step belongs to the session that started it`() async throws {
        _ = try await setAnswer()
        let id = try #require(await secondStep()["id"]?.text)
        let other = try #require(try await server.register(2)["session_token"]?.text)
        let strangers = try await give("blue", in: id, token: other)
        #expect(strangers.status == 403)
        #expect(strangers.errorID == .identityMismatch)
        let anonymous = try await server.submit(.login, id, .object(["method": "answer", "answer": "blue"]))
        #expect(anonymous.status == 401)
        #expect(anonymous.errorID == .sessionAAL1Required)
        #expect(try await give("blue", in: id).status == 200)
    }

    @Test func `A second factor opens no session if the one that it belongs to has ended meanwhile`()
        async throws
    {
        _ = try await setAnswer()
        let id = try #require(await secondStep()["id"]?.text)
        let racing = RacingServer(server, at: .transaction(1)) { [server, token] in
            let ended = try await server.logOut(token)
            #expect(ended.status == 204)
        }
        let answer = try await racing.submit(
            .login,
            id,
            .object(["method": "answer", "answer": "blue"]),
            token: token
        )
        #expect(answer.status == 410)
        #expect(try await server.count("sessions") == 1)
    }

    @Test func `A session that has both factors isn't asked again, unless the user must log in again`()
        async throws
    {
        _ = try await setAnswer()
        let answer = try await give("blue", in: try #require(await secondStep()["id"]?.text))
        let raised = try #require(answer["session_token"]?.text)
        let refused = await secondStep(token: raised)
        #expect(refused.status == 400)
        #expect(refused.errorID == .sessionAlreadyAvailable)
        server.time.advance(by: .seconds(60))
        let again = await secondStep("?aal=aal2&refresh=true", token: raised)
        let renewed = try await give("blue", in: try #require(again["id"]?.text), token: raised)
        #expect(methods(of: renewed["session"]) == ["password aal1", "answer aal2"])
        #expect(renewed["session"]?["authenticated_at"] != answer["session"]?["authenticated_at"])
    }

    @Test func `Its guesses are limited by an event of its own`() async throws {
        _ = try await setAnswer()
        let id = try #require(await secondStep()["id"]?.text)
        for _ in 1...5 { #expect(try await give("red", in: id).status == 400) }
        #expect(try await give("blue", in: id).status == 429)
        server.time.advance(by: .seconds(3600))
        let later = try #require(await secondStep()["id"]?.text)
        #expect(try await give("blue", in: later).status == 200)
    }

    @Test func `Its fields are read from forms`() async throws {
        _ = try await setAnswer()
        let id = try #require(await secondStep()["id"]?.text)
        var request = HTTP.Request(
            .post,
            "/a/self-service/login",
            query: "flow=" + id,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "X-Session-Token": token]
        )
        request.body = Array("method=answer&answer=blue".utf8)
        #expect(await server.send(request).status == 200)
    }

    @Test func `The export lists the credential without its secret, and an erasure deletes it`() async throws
    {
        _ = try await setAnswer()
        let export = await server.get("/account/export", token: token)
        guard case .array(let credentials)? = export["credentials"] else {
            Issue.record("no credentials: \(export.body)")
            return
        }
        #expect(credentials.count == 1)
        #expect(credentials.first?["method"] == "answer")
        #expect(credentials.first?["secret"] == nil)
        try await server.database.transaction {
            [identity, data = server.assembly.accounts.data] transaction in
            try data.erase(identity, addresses: [], at: server.time.now, in: transaction)
        }
        let left = try await server.database.rows("SELECT 1 FROM credentials")
        #expect(left.isEmpty)
    }

    @Test func `A new owner of the account doesn't get the credential`() async throws {
        _ = try await setAnswer()
        try await server.database.transaction {
            [identity, data = server.assembly.accounts.data] transaction in
            try data.reclaim(identity, at: server.time.now, in: transaction)
        }
        #expect(try await server.database.rows("SELECT 1 FROM credentials").isEmpty)
    }

    @Test func `The metrics count its submissions`() async throws {
        _ = try await setAnswer()
        var text = MetricsText()
        for metrics in server.assembly.moduleMetrics { await metrics.write(to: &text) }
        let line = #"latchkey_flows_succeeded_total{kind="settings",method="answer"} 1"#
        #expect(text.text.contains(line), "\(text.text)")
    }
}

extension Answer {
    /// The groups of the nodes of a flow.
    fileprivate var groups: [String] {
        guard case .array(let nodes)? = body["ui"]?["nodes"] else { return [] }
        return nodes.compactMap { $0["group"]?.text }
    }
}
