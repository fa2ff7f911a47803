import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Query parameters of the admin API` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    @Test(arguments: [
        ("foo=bar", 400), ("credential_identifier=person1@example.org", 400), ("=", 400),
        ("organization_id=9a8cbfb3-87bd-4087-b48d-2569b1b43386", 200), ("organization_id=x", 400),
        ("consistency=strong", 200), ("consistency=x", 400),
        ("credentials_identifier=person1@example.org&ids=9a8cbfb3-87bd-4087-b48d-2569b1b43386", 400),
        ("credentials_identifier=a&organization_id=9a8cbfb3-87bd-4087-b48d-2569b1b43386", 400),
        ("preview_credentials_identifier_similar=person", 400), ("include_credential=foo", 400),
        ("credentials_identifier=person1@example.org&ids=&organization_id=", 200),
    ])
    func `Unsupported filters are rejected`(query: String, status: Int) async throws {
        await server.create(1)

        #expect(await server.send(.get, "/admin/identities?\(query)").status == status)
    }

    @Test(arguments: [
        (HTTP.Method.get, "/admin/sessions?identity=x"), (.get, "/admin/audit?identities=x"),
        (.get, "/admin/courier/messages?to=x"), (.get, "/admin/identities/ID?include_credentials=password"),
        (.delete, "/admin/identities/ID?force=true"), (.delete, "/admin/identities/ID/sessions?active=false"),
        (.patch, "/admin/identities/ID?dry_run=true"), (.get, "/version?x"), (.get, "/schemas?name=x"),
        (.delete, "/admin/identities/ID/credentials/password?identifier=x"),
    ])
    func `Unknown query parameters are rejected`(method: HTTP.Method, path: String) async throws {
        let id = try await server.id(1, AdminServer.password)

        let body = method == .patch ? "[]" : ""
        let answer = await server.send(method, path.replacing("ID", with: id), body)

        #expect(answer.status == 400)
        #expect(answer.reason.hasPrefix("Unknown query parameter"), "\(answer.reason)")
        #expect(await server.send(.get, "/admin/identities/\(id)")["credentials"]?["password"] != nil)
    }

    @Test func `Filtering by organization returns no identities`() async throws {
        await server.create(1)
        let path = "/admin/identities?organization_id="

        #expect(await server.send(.get, path + "9a8cbfb3-87bd-4087-b48d-2569b1b43386").entries.isEmpty)
        #expect(await server.send(.get, path).entries.count == 1)
    }

    @Test func `The response includes the addresses that receive login codes`() async throws {
        let id = try await server.id(1, AdminServer.password)
        let path = "/admin/identities/\(id)"

        let plain = await server.send(.get, path)["credentials"]?["code"]
        #expect(plain?["type"] == "code")
        #expect(plain?["identifiers"] == .array(["+46701000001", "person1@example.org"]))
        #expect(plain?["config"] == nil)
        let shown = await server.send(.get, path + "?include_credential=code")["credentials"]
        guard case .array(let addresses)? = shown?["code"]?["config"]?["addresses"] else {
            Issue.record("The addresses are missing.")
            return
        }
        #expect(Set(addresses.compactMap { $0["channel"]?.text }) == ["email", "sms"])
        #expect(shown?["password"]?["config"] == nil)
        #expect(await server.send(.delete, path + "/credentials/code").status == 400)
    }

    @Test func `Addresses whose login codes go to another account are left out`() async throws {
        let id = try await server.id(1)
        _ = await server.send(.post, "/admin/addresses/release", #"{"address": "person1@example.org"}"#)

        let code = await server.send(.get, "/admin/identities/\(id)")["credentials"]?["code"]

        #expect(code?["identifiers"] == .array(["+46701000001"]))
    }

    @Test(arguments: ["?", "?ids=ID&", "?credentials_identifier=person1@example.org&"])
    func `Lists include credentials if the request asks for them`(query: String) async throws {
        let id = try await server.id(1, AdminServer.password)
        let path = "/admin/identities" + query.replacing("ID", with: id)

        let entry = await server.send(.get, path + "include_credential=password").entries.first

        #expect(entry?["credentials"]?["password"]?["config"]?["algorithm"] != nil)
        #expect(entry?["credentials"]?["code"]?["identifiers"] != nil)
    }

    @Test func `The admin listener serves the version and a paginated list of schemas`() async throws {
        let version = await server.send(.get, "/version")
        let schemas = await server.send(.get, "/schemas")
        let pages = [
            await server.send(.get, "/schemas?page_size=1"),
            await server.send(.get, "/schemas?page=1&per_page=1"),
        ]

        #expect(version["version"]?.text == Release.version)
        #expect(schemas.ids == server.people.resources.schemas.all.map(\.id))
        #expect(pages.map(\.ids) == [Array(schemas.ids[..<1]), Array(schemas.ids[1..<2])])
        #expect(await server.send(.get, try #require(pages[0].link("next"))).ids == pages[1].ids)
        #expect(await server.send(.get, "/schemas/person")["type"] == "object")
    }
}
