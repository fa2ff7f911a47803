import LatchkeyAccounts
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Clients of sessions` {
    private static let address = "person1@example.org"

    private let admin: AdminServer
    private let server: SelfServiceServer

    init() async throws {
        admin = try await AdminServer()
        server = admin.people
        await register(#"{"client_id": "shop", "client_name": "Shop <b>&amp;"}"#)
        await register(#"{"client_id": "https://app.example.com/~a", "client_name": "App"}"#)
    }

    private func register(_ client: String) async {
        #expect(await admin.send(.post, "/admin/clients", client).status == 201)
    }

    /// Returns the token of a new session, which a flow with the given query has opened.
    private func logIn(_ query: String, token: String? = nil) async throws -> String {
        try #require(
            try await submitPassword(to: await server.begin(.login, query, token: token), token: token)
        )
    }

    private func submitPassword(to flow: String, token: String? = nil) async throws -> String? {
        try await server.submit(
            .login,
            flow,
            .object([
                "method": "password", "identifier": .string(Self.address),
                "password": .string(SelfServiceServer.password),
            ]),
            token: token
        )["session_token"]?.text
    }

    private func whoami(_ token: String) async -> Answer {
        await server.get("/sessions/whoami", token: token)
    }

    // MARK: Flows

    @Test func `The session of a registration records the client`() async throws {
        let answer = try await server.submit(
            .registration,
            await server.begin(.registration, "?client_id=shop"),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(),
            ])
        )
        #expect(answer["session"]?["client_id"] == "shop")
        let found = await whoami(try #require(answer["session_token"]?.text))
        #expect(found["client_id"] == "shop")
        #expect(found["client_name"] == "Shop <b>&amp;")
    }

    @Test func `The session of a login records the client, whose id can be a URL`() async throws {
        try await server.register()
        let token = try await logIn("?client_id=https%3A%2F%2Fapp.example.com%2F~a&return_to=")
        #expect(await whoami(token)["client_id"] == "https://app.example.com/~a")
        #expect(await whoami(token)["client_name"] == "App")
    }

    @Test func `The session of a recovery records the client`() async throws {
        try await server.register()
        let flow = await server.begin(.recovery, "?client_id=shop")
        _ = try await server.submitCode(.recovery, flow, ["email": .string(Self.address)])
        let code = JSONValue.string(try await server.code(for: Self.address))
        let done = try await server.submitCode(.recovery, flow, ["code": code])
        let token = try #require(done["continue_with"]?.first?["ory_session_token"]?.text)
        #expect(await whoami(token)["client_id"] == "shop")
    }

    @Test func `The session of a login with a code records the client`() async throws {
        try await server.register()
        try await server.confirmAll()
        let flow = await server.begin(.login, "?client_id=shop")
        _ = try await server.sendCode(.login, flow, to: Self.address)
        let code = JSONValue.string(try await server.code(for: Self.address))
        let done = try await server.submitCode(
            .login,
            flow,
            ["identifier": .string(Self.address), "code": code]
        )
        #expect(done["session"]?["client_id"] == "shop")
    }

    @Test(arguments: ["", "?client_id="]) func `A session has no client if the app doesn't name one`(
        query: String
    ) async throws {
        try await server.register()
        let stored = try await server.count("flows")
        let flow = await server.begin(.login, query)
        #expect(try await server.count("flows") == stored)
        let token = try #require(try await submitPassword(to: flow))
        #expect(await whoami(token)["client_id"] == nil)
        #expect(await whoami(token)["client_name"] == nil)
    }

    @Test(arguments: [FlowKind.login, .registration, .recovery])
    func `Unknown and disabled clients are refused`(kind: FlowKind) async throws {
        await register(#"{"client_id": "off", "latchkey": {"disabled": true}}"#)
        for id in ["other", "off", "a%20b", "latchkey", String(repeating: "a", count: 300)] {
            let answer = await server.get("/self-service/\(kind.rawValue)/api?client_id=\(id)")
            #expect(answer.status == 400)
            #expect(answer.reason.hasPrefix("client_id is not the id of a client"))
        }
        #expect(try await server.count("flows") == 0)
        #expect(await server.get("/self-service/\(kind.rawValue)/api?client_id=shop").status == 200)
        #expect(try await server.count("flows") == 1)
    }

    @Test func `Flows that open no session ignore the client`() async throws {
        let token = try #require(try await server.register()["session_token"]?.text)
        #expect(await server.get("/self-service/verification/api?client_id=other").status == 200)
        #expect(await server.get("/self-service/settings/api?client_id=other", token: token).status == 200)
    }

    @Test func `A flow that replaces another one keeps the client`() async throws {
        try await server.register()
        let flow = await server.begin(.login, "?client_id=shop")
        server.time.advance(by: server.configuration.flows.lifespan(of: .login))
        let expired = try await server.submit(.login, flow, .object(["method": "password"]))
        #expect(expired.status == 410)
        let next = try #require(expired["use_flow_id"]?.text)
        let token = try #require(try await submitPassword(to: next))
        #expect(await whoami(token)["client_id"] == "shop")
    }

    @Test(arguments: ["", "&client_id=https://app.example.com/~a"])
    func `A re-authentication keeps the session's client`(query: String) async throws {
        try await server.register()
        let token = try await logIn("?client_id=shop")
        let renewed = try await logIn("?refresh=true" + query, token: token)
        #expect(renewed != token)
        #expect(await whoami(renewed)["client_id"] == "shop")
        #expect(await whoami(renewed)["client_name"] == "Shop <b>&amp;")
    }

    @Test func `Sessions of browsers have no client`() async throws {
        let browser = TestBrowser(server)
        _ = try await browser.register(1, "?client_id=shop")
        let found = await browser.get("/sessions/whoami")
        #expect(found.status == 200)
        #expect(found["client_id"] == nil)
        // The mailed link of an app's flow can open a browser session.
        for (kind, id) in [(SessionToken.Kind.app, "shop"), (.browser, nil)] {
            let new = try NewSession(
                of: Identifier(),
                by: .codeRecovery,
                evidence: SessionEvidence(),
                schema: server.resources.schemas.standard,
                for: RequestContext(HTTP.Request(.post, "/"), from: .inProcess, at: server.time.now),
                kind: kind,
                clientID: "shop",
                at: server.time.now,
                settings: server.configuration.sessions,
                random: SystemRandom()
            )
            #expect(new.session.clientID == id)
        }
    }

    // MARK: Lists

    @Test func `Users and operators see the client in lists of sessions and in the export`() async throws {
        let own = try #require(try await server.register()["session_token"]?.text)
        let token = try await logIn("?client_id=shop")
        let id = try #require(await whoami(token)["id"]?.text)
        let owner = try #require(await whoami(token)["identity"]?["id"]?.text)

        let list = await server.get("/sessions", token: own)
        #expect(list.body.elements.map { $0["client_id"]?.text } == ["shop"])
        let export = await server.get(Route.accountExport, token: own)
        for listed in [
            await admin.send(.get, "/admin/sessions?expand=identity").body.elements,
            await admin.send(.get, "/admin/identities/\(owner)/sessions").body.elements,
            export["sessions"]?.elements ?? [],
        ] {
            let session = try #require(listed.first { $0["id"]?.text == id })
            #expect(session["client_id"] == "shop")
            #expect(session["client_name"] == "Shop <b>&amp;")
            #expect(listed.filter { $0["client_id"] == nil }.count == 1)
        }
        let shown = await admin.send(.get, "/admin/sessions/\(id)")
        #expect(shown["client_name"] == "Shop <b>&amp;")
    }

    @Test func `The page shows the client's name as text`() async throws {
        try await server.register()
        _ = try await logIn("?client_id=shop")
        let visitor = PageVisitor(server)
        try await visitor.logIn()
        try await visitor.open("/sessions")
        #expect(visitor.text.contains("Shop &lt;b&gt;&amp;amp;"))
        #expect(!visitor.text.contains("Shop <b>"))
    }

    @Test func `Deleting a client doesn't end its sessions, which no longer have its name`() async throws {
        try await server.register()
        let token = try await logIn("?client_id=shop")
        #expect(await admin.send(.delete, "/admin/clients/shop").status == 204)
        let found = await whoami(token)
        #expect(found.status == 200)
        #expect(found["client_id"] == "shop")
        #expect(found["client_name"] == nil)
        #expect(await server.get("/self-service/login/api?client_id=shop").status == 400)
    }

    @Test func `A client that is deleted during a login is still recorded`() async throws {
        try await server.register()
        let flow = await server.begin(.login, "?client_id=shop")
        #expect(await admin.send(.delete, "/admin/clients/shop").status == 204)
        let token = try #require(try await submitPassword(to: flow))
        #expect(await whoami(token)["client_id"] == "shop")
    }
}

@Suite(.onEachDatabase) struct `Client id of the server's own app` {
    @Test(arguments: ["latchkey", "shop"]) func `No client can be registered with it`(id: String)
        async throws
    {
        let admin = try await AdminServer { $0.tokens.clientID = id }
        let answer = await admin.send(.post, "/admin/clients", #"{"client_id": "\#(id)"}"#)
        #expect(answer.status == 400)
        #expect(answer.reason.contains("tokens.client_id"))
        let other = id == "shop" ? "latchkey" : "shop"
        #expect(await admin.send(.post, "/admin/clients", #"{"client_id": "\#(other)"}"#).status == 201)
    }

    @Test func `A client that was registered before the app got its id can't be used`() async throws {
        let admin = try await AdminServer()
        let answer = await admin.send(.post, "/admin/clients", #"{"client_id": "shop"}"#)
        #expect(answer.status == 201)
        #expect(try await admin.people.assembly.accounts.clients.client("shop") != nil)

        let changed = try await SelfServiceServer(over: admin.database) { $0.tokens.clientID = "shop" }

        #expect(try await changed.assembly.accounts.clients.client("shop") == nil)
        #expect(await changed.get("/self-service/login/api?client_id=shop").status == 400)
    }
}
