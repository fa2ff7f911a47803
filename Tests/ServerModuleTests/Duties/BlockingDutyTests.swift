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

@Suite(.onEachDatabase) struct `Duties that block` {
    private static let mail = "person1@example.org"

    private let source = BlockingSource()
    private let admin: AdminServer
    private let server: SelfServiceServer

    init() async throws {
        admin = try await AdminServer(dutySources: [source])
        server = admin.people
    }

    /// Registers person 1 and returns the session token.
    private func register(_ query: String = "") async throws -> String {
        let answer = try await server.submit(
            .registration,
            await server.begin(.registration, query),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(),
            ])
        )
        return try #require(answer.sessionToken)
    }

    /// Requests a route that is closed while a duty blocks.
    private func connected(_ token: String) async -> Answer {
        await server.get("/account/clients", token: token)
    }

    @Test func `The refusal names the first duty that blocks, and lists all duties as whoami does`()
        async throws
    {
        let token = try await register()
        source.set(.blocking)
        let refused = await connected(token)

        #expect(refused.status == 403 && refused.errorID == .dutyRequired)
        let error = try #require(refused["error"])
        #expect(error["duty"] == "complete_profile")
        #expect(error["reason"] == "The user has to complete a step first: complete_profile.")
        let me = await server.get("/sessions/whoami", token: token)
        #expect(me.status == 200 && me["duties"] != nil)
        #expect(error["details"] == .object(["duties": me["duties"] ?? .null]))
    }

    @Test(arguments: [BlockingSource.State.none, .open])
    func `A duty that doesn't block closes no route`(state: BlockingSource.State) async throws {
        let token = try await register()
        source.set(state)

        #expect(await connected(token).status == 200)
        #expect(try await server.change(password: "another-Horse-8-battery", token: token).status == 200)
    }

    @Test func `A duty at one client doesn't block the sessions of others`() async throws {
        let client = await admin.send(.post, "/admin/clients", #"{"client_id": "shop"}"#)
        #expect(client.status == 201)
        await server.assembly.tokens.keys.stop()
        let shop = try await register("?client_id=shop")
        let other = try #require(try await server.login().sessionToken)
        source.set(.blocking, at: "shop")

        #expect(await connected(shop).errorID == .dutyRequired)
        #expect(await connected(other).status == 200)
        // A client that an operator has disabled blocks no account.
        let disabled = #"[{"op": "replace", "path": "/latchkey/disabled", "value": true}]"#
        #expect(await admin.send(.patch, "/admin/clients/shop", disabled).status == 200)
        #expect(await connected(shop).status == 200)
    }

    @Test func `A refused request is accepted as soon as the step was taken`() async throws {
        let token = try await register()
        source.set(.blocking)
        #expect(await connected(token).status == 403)
        source.set(.open)
        #expect(await connected(token).status == 200)
    }

    @Test func `A settings flow accepts the profile, and nothing else`() async throws {
        let token = try await register()
        source.set(.blocking)
        let flow = await server.begin(.settings, token: token)
        #expect(await server.get("/self-service/settings/flows?id=\(flow)", token: token).status == 200)
        let password: JSONValue = .object([
            "method": "password", "password": "another-Horse-8-battery",
        ])
        for body: JSONValue in [
            password, .object(["method": "code"]), .object([:]), .object(["method": .integer(1)]),
        ] {
            let refused = try await server.submit(.settings, flow, body, token: token)
            #expect(refused.status == 403 && refused.errorID == .dutyRequired, "\(body)")
        }
        #expect(try await server.login().status == 200)

        let traits = SelfServiceServer.traits()
        let profile = JSONValue.object(["method": "profile", "traits": traits])
        let saved = try await server.submit(.settings, flow, profile, token: token)
        #expect(saved.status == 200, "\(saved.reason)")
        source.set(.none)
        #expect(try await server.submit(.settings, flow, password, token: token).status != 403)
    }

    @Test func `A page tells the user of a browser that there is a step to take first`() async throws {
        let visitor = PageVisitor(server)
        try await visitor.browser.register()
        source.set(.blocking)
        let form = try await visitor.browser.start(.settings)
        let refused = try await visitor.browser.submit(
            form,
            ["method": "password", "password": "another-Horse-8-battery"]
        )
        let id = try #require(refused.errorPage, "\(refused.location ?? "")")
        let shown = await visitor.browser.get("/self-service/errors?id=" + id)
        #expect(shown["error"]?["id"] == "duty_required")
        try await visitor.open(String(try #require(refused.location).dropFirst(SelfServiceServer.url.count)))
        #expect(visitor.response.status == 403)
        #expect(visitor.title.contains("There is something to do first"), "\(visitor.summary)")
        #expect(visitor.text.contains("/settings?flow="))
        #expect(try await server.login().status == 200)
    }

    @Test func `An owner who doesn't take the step can log in again, export the data and delete the account`()
        async throws
    {
        var token = try await register()
        source.set(.blocking)
        server.time.advance(by: .seconds(2 * 3600))
        #expect(await server.get("/account/export", token: token).errorID == .sessionRefreshRequired)
        let flow = await server.begin(.login, "?refresh=true", token: token)
        let password = JSONValue.object([
            "method": "password", "identifier": .string(Self.mail),
            "password": .string(SelfServiceServer.password),
        ])
        let login = try await server.submit(.login, flow, password, token: token)
        token = try #require(login.sessionToken, "\(login.reason)")

        #expect(await server.get("/account/export", token: token).status == 200)
        #expect(await server.get("/sessions", token: token).status == 200)
        #expect(await server.get("/sessions/events?wait=0", token: token).status == 200)
        #expect(await server.delete("/account", token: token).status < 300)
    }

    @Test func `An owner who doesn't take the step can log out`() async throws {
        let token = try await register()
        source.set(.blocking)

        #expect(
            try await server.delete("/self-service/logout/api", ["session_token": .string(token)]).status
                == 204
        )
        #expect(await server.get("/sessions/whoami", token: token).status == 401)
    }

    @Test func `A provisional session is asked for its certificate before any other step`() async throws {
        let token = try await register()
        _ = try await server.database.transaction {
            try $0.execute("UPDATE sessions SET needs_certificate = 1")
        }
        source.set(.blocking)

        #expect(await connected(token).errorID == .deviceCertificateRequired)
    }
}
