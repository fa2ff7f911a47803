import LatchkeyAccounts
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Session administration` {
    private static let unknown = "9a8cbfb3-87bd-4087-b48d-2569b1b43386"

    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private struct LoggedIn {
        let token: String
        let session: String
        let identity: String
    }

    private func logIn(_ number: Int = 1) async throws -> LoggedIn {
        let answer = try await server.people.register(number)
        return LoggedIn(
            token: try #require(answer["session_token"]?.text),
            session: try #require(answer["session"]?["id"]?.text),
            identity: try #require(answer["identity"]?["id"]?.text)
        )
    }

    private func whoami(_ who: LoggedIn) async -> Int {
        await server.people.get("/sessions/whoami", token: who.token).status
    }

    @Test(arguments: [
        ("", JSONValue.null, JSONValue.null), ("?expand=identity", "identity", .null),
        ("?expand=devices", .null, "devices"), ("?expand=identity&expand=Devices", "identity", "devices"),
    ])
    func `Sessions include the members that the request asks to expand`(
        query: String,
        identity: JSONValue,
        devices: JSONValue
    )
        async throws
    {
        let who = try await logIn()
        for answer in [
            await server.send(.get, "/admin/sessions/\(who.session)\(query)").body,
            await server.send(.get, "/admin/sessions\(query)").entries.first ?? .null,
        ] {
            #expect(answer["id"]?.text == who.session)
            #expect(answer["active"] == .bool(true))
            #expect((answer["identity"] == .null) == (identity == .null))
            #expect((answer["devices"] == .null) == (devices == .null))
        }
    }

    @Test func `Sessions can be filtered by whether they are active`() async throws {
        let (one, two) = (try await logIn(1), try await logIn(2))
        _ = await server.send(.delete, "/admin/sessions/\(two.session)")

        for (query, found) in [
            ("", [one.session, two.session].sorted()), ("?active=true", [one.session]),
            ("?active=false", [two.session]),
        ] {
            #expect(await server.send(.get, "/admin/sessions\(query)").ids == found)
        }
        #expect(await server.send(.get, "/admin/sessions?active=maybe").status == 400)
        #expect(await server.send(.get, "/admin/sessions?expand=foo").status == 400)
        #expect(await server.send(.get, "/admin/sessions?page_token=x").status == 400)
        let first = await server.send(.get, "/admin/sessions?page_size=1&expand=identity")
        let next = try #require(first.link("next"))
        #expect(next.contains("expand=identity"))
        #expect(first.ids + (await server.send(.get, next)).ids == [one.session, two.session].sorted())
        // A session is also inactive once it has expired.
        server.people.time.advance(by: .seconds(31 * 86_400))
        #expect(await server.send(.get, "/admin/sessions?active=true").ids.isEmpty)
    }

    @Test func `The list only contains sessions of the given identity`() async throws {
        let (one, two) = (try await logIn(1), try await logIn(2))
        let again = try #require(try await server.people.login()["session"]?["id"]?.text)
        let path = "/admin/identities/\(one.identity)/sessions"

        #expect(await server.send(.get, path).ids == [one.session, again].sorted())
        let first = await server.send(.get, path + "?page_size=1")
        let next = try #require(first.link("next"))
        #expect(first.ids + (await server.send(.get, next)).ids == [one.session, again].sorted())
        #expect(await server.send(.delete, path).status == 204)
        #expect(await server.send(.delete, path).status == 204)
        #expect(await server.send(.get, path + "?active=true").ids.isEmpty)
        #expect(await whoami(one) == 401)
        #expect(await whoami(two) == 200)
        #expect(try await server.actions(one.identity) == ["sessions.revoked"])
        let byNumber = await server.send(.get, path + "?page=1&per_page=1").ids
        #expect(byNumber == [[one.session, again].max()])
    }

    @Test func `Ending a session twice logs only one event`() async throws {
        let who = try await logIn()
        for _ in 0..<2 { #expect(await server.send(.delete, "/admin/sessions/\(who.session)").status == 204) }

        #expect(await whoami(who) == 401)
        #expect(await server.send(.get, "/admin/sessions/\(who.session)")["active"] == .bool(false))
        let events = await server.send(.get, "/admin/audit?identity=\(who.identity)").entries
            .filter { $0["action"] == "session.revoked" }
        #expect(events.map { $0["subject"]?.text } == [who.session])
    }

    @Test func `Extending a session works only while the session is active`() async throws {
        let who = try await logIn()
        let path = "/admin/sessions/\(who.session)"
        server.people.time.advance(by: .seconds(29 * 86_400))
        let before = await server.send(.get, path)["expires_at"]
        let extended = await server.send(.patch, path + "/extend")
        #expect(extended.status == 200)
        #expect(extended["expires_at"] != before)
        server.people.time.advance(by: .seconds(29 * 86_400))
        #expect(await whoami(who) == 200)

        _ = await server.send(.delete, path)
        let over = await server.send(.get, path)["expires_at"]
        let dead = await server.send(.patch, path + "/extend")
        #expect((dead.status, dead["active"]) == (200, .bool(false)))
        #expect(dead["expires_at"] == over)
        #expect(await whoami(who) == 401)
        #expect(try await server.actions(who.identity).filter { $0 == "session.extended" }.count == 1)

        let other = try await logIn(2)
        server.people.time.advance(by: .seconds(31 * 86_400))
        let expired = await server.send(.patch, "/admin/sessions/\(other.session)/extend")
        #expect((expired.status, expired["active"]) == (200, .bool(false)))
        #expect(await whoami(other) == 401)
    }

    @Test(arguments: [
        (HTTP.Method.get, "/admin/sessions/zz", 400), (.get, "/admin/sessions/\(unknown)", 404),
        (.delete, "/admin/sessions/zz", 400), (.delete, "/admin/sessions/\(unknown)", 404),
        (.patch, "/admin/sessions/zz/extend", 400), (.patch, "/admin/sessions/\(unknown)/extend", 404),
        (.get, "/admin/identities/zz/sessions", 400), (.get, "/admin/identities/\(unknown)/sessions", 200),
        (.delete, "/admin/identities/\(unknown)/sessions", 404),
        (.post, "/admin/sessions/\(unknown)/extend", 405),
    ])
    func `Unknown ids and parameters get the same responses as in Kratos`(
        method: HTTP.Method,
        path: String,
        status: Int
    )
        async
    {
        #expect(await server.send(method, path).status == status)
    }
}
