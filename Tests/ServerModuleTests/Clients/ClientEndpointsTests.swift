import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Client administration` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private static let shop = #""client_id": "shop", "redirect_uris": ["https://shop.example.com/cb"]"#

    private func create(_ members: String = shop) async -> Answer {
        await server.send(.post, "/admin/clients", "{\(members)}")
    }

    private func patch(_ operations: String) async -> Answer {
        await server.send(.patch, "/admin/clients/shop", "[\(operations)]")
    }

    /// The actions on clients in the audit log, with the id of the client, oldest first.
    private func actions() async throws -> [String] {
        try await AuditLog.events(of: .nilUUID, limit: 100, in: server.database)
            .map { "\($0.action.rawValue) \($0.subject ?? "")" }.reversed()
    }

    @Test func `A client is created with its secret, which can't be read again`() async throws {
        let answer = await create(#"\#(Self.shop), "client_name": "Shop", "strange": 1"#)

        #expect(answer.status == 201, "\(answer.reason)")
        #expect(answer.response.headers["Location"] == "/admin/clients/shop")
        #expect(answer["client_id"] == "shop" && answer["client_name"] == "Shop")
        let secret = try #require(answer["client_secret"]?.text)
        #expect(secret.hasPrefix("lk_cs_") && Base64URL.decode(secret.dropFirst(6))?.count == 32)
        let found = await server.send(.get, "/admin/clients/shop")
        #expect(found.status == 200 && found["client_secret"] == nil)
        #expect(found.body == answer.body.without("client_secret"))
        #expect(await server.send(.get, "/admin/clients").entries == [found.body])
        #expect(try await actions() == ["client.created shop"])
        let stored = try await server.database.rows("SELECT secret FROM clients")[0].text(0)
        #expect(!stored.contains(secret) && stored.hasPrefix("sha256:"))
    }

    @Test func `A client without an id gets a UUID, and a public client gets no secret`() async throws {
        let answer = await create(#""token_endpoint_auth_method": "none""#)

        #expect(answer.status == 201)
        #expect(Identifier(answer["client_id"]?.text ?? "") != nil)
        #expect(answer["client_secret"] == nil)
        #expect(try await server.database.rows("SELECT secret FROM clients")[0].isNull(0))
    }

    @Test func `A given secret is hashed with the password hasher`() async throws {
        let answer = await create(#"\#(Self.shop), "client_secret": "correct horse""#)

        #expect(answer["client_secret"] == "correct horse")
        #expect(server.people.hasher.work == 1)
        let stored = try await server.database.rows("SELECT secret FROM clients")[0].text(0)
        #expect(stored.hasPrefix("quick2:"))
    }

    @Test(arguments: [
        (#""client_id": "a b""#, "client_id"), (#""client_id": "ä""#, "client_id"),
        (#""client_id": ".""#, "client_id"),
        (#""client_id": "..""#, "client_id"), (#""client_id": 1"#, "client_id"),
        (#""client_id": "a?b""#, "client_id"),
        (#""client_secret": "short12""#, "client_secret"), (#""client_secret": 12345678"#, "client_secret"),
        (#""client_secret": "pässword""#, "client_secret"),
        (#""client_secret": "pass\nword""#, "client_secret"),
        (#""client_secret": "password", "token_endpoint_auth_method": "none""#, "has no secret"),
        (#""redirect_uris": ["http://shop.example.com/cb"]"#, "redirect_uris/0"),
        (#""grant_types": ["implicit"]"#, "grant_types"),
    ])
    func `An invalid client isn't created`(members: String, reason: String) async throws {
        let answer = await create(members)

        #expect(answer.status == 400)
        #expect(answer.reason.contains(reason), "\(answer.reason)")
        #expect(await server.send(.get, "/admin/clients").entries.isEmpty)
        #expect(try await actions().isEmpty)
    }

    @Test func `The id of a client can be taken only once, even by concurrent requests`() async throws {
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { await create().status } }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 7))
        #expect(try await actions() == ["client.created shop"])
    }

    @Test func `An id can contain characters that are escaped in paths`() async throws {
        let id = "https://app.example.com/client"
        let created = await create(#""client_id": "\#(id)""#)

        let path = try #require(created.response.headers["Location"])
        #expect(path == "/admin/clients/https%3A%2F%2Fapp.example.com%2Fclient")
        #expect(await server.send(.get, path)["client_id"]?.text == id)
        #expect(await server.send(.delete, path).status == 204)
    }

    @Test func `A replaced client keeps its secret, its id and its date of creation`() async throws {
        let created = await create(#"\#(Self.shop), "client_name": "Shop", "owner": "a""#)
        let secret = try await server.database.rows("SELECT secret FROM clients")[0].text(0)

        let answer = await server.send(
            .put,
            "/admin/clients/shop",
            #"{"scope": "openid", "client_id": "shop"}"#
        )

        #expect(answer.status == 200, "\(answer.reason)")
        #expect(answer["client_secret"] == nil)
        #expect(answer["client_name"] == "" && answer["owner"] == "")
        #expect(answer["redirect_uris"] == .array([]) && answer["scope"] == "openid")
        #expect(answer["created_at"] == created["created_at"])
        #expect(answer["updated_at"] != created["updated_at"])
        #expect(try await server.database.rows("SELECT secret FROM clients")[0].text(0) == secret)
        #expect(try await actions() == ["client.created shop", "client.changed shop"])
        #expect(await server.send(.put, "/admin/clients/shop", #"{"client_id": "other"}"#).status == 400)
        #expect(await server.send(.put, "/admin/clients/shop", "[]").status == 400)
    }

    @Test func `A response can be sent back as it is`() async throws {
        _ = await create(#"\#(Self.shop), "latchkey": {"first_party": true}, "metadata": {"a": 1.50}"#)
        _ = await server.send(.post, "/admin/clients/shop/secrets/rotate")
        let before = await server.send(.get, "/admin/clients/shop")

        let text = String(decoding: before.response.body, as: UTF8.self)
        let after = await server.send(.put, "/admin/clients/shop", text)

        #expect(after.status == 200, "\(after.reason)")
        #expect(after.body.without("updated_at") == before.body.without("updated_at"))
    }

    @Test func `A client that becomes confidential gets a secret, and loses it again`() async throws {
        _ = await create(#"\#(Self.shop), "token_endpoint_auth_method": "none""#)
        let method = "/token_endpoint_auth_method"

        let confidential = await patch(
            #"{"op": "replace", "path": "\#(method)", "value": "client_secret_post"}"#
        )
        #expect(confidential["client_secret"]?.text?.hasPrefix("lk_cs_") == true)
        let isPublic = await patch(#"{"op": "replace", "path": "\#(method)", "value": "none"}"#)
        #expect(isPublic.status == 200 && isPublic["client_secret"] == nil)
        #expect(try await server.database.rows("SELECT secret FROM clients")[0].isNull(0))
        let last = try await actions().suffix(2)
        #expect(Set(last) == ["client.changed shop", "client.secret.changed shop"])
    }

    @Test(arguments: [
        (#"{"op": "add", "path": "/redirect_uris/-", "value": "com.example.shop:/cb"}"#, "redirect_uris"),
        (#"{"op": "replace", "path": "/client_name", "value": "New"}"#, "client_name"),
        (#"{"op": "add", "path": "/metadata/plan", "value": "gold"}"#, "metadata"),
        (#"{"op": "add", "path": "/latchkey/first_party", "value": true}"#, "latchkey"),
        (#"{"op": "remove", "path": "/redirect_uris/0"}"#, "redirect_uris"),
        (
            #"{"op": "test", "path": "/client_name", "value": ""}, {"op": "add", "path": "/owner", "value": "a"}"#,
            "owner"
        ),
    ])
    func `A patch changes one member`(operations: String, member: String) async throws {
        let before = await create()
        let answer = await patch(operations)

        #expect(answer.status == 200, "\(answer.reason)")
        #expect(answer[member] != before[member])
        let others = [member, "updated_at", "client_secret"]
        #expect(
            others.reduce(answer.body) { $0.without($1) } == others.reduce(before.body) { $0.without($1) }
        )
        #expect(await server.send(.get, "/admin/clients/shop").body == answer.body)
    }

    @Test(arguments: [
        #"{"op": "replace", "path": "", "value": {}}"#,
        #"{"op": "replace", "path": "/client_id", "value": "x"}"#,
        #"{"op": "replace", "path": "/created_at", "value": "2020-01-01T00:00:00Z"}"#,
        #"{"op": "add", "path": "/client_secret_expires_at", "value": 1}"#,
        #"{"op": "remove", "path": "/client_secret"}"#,
        #"{"op": "replace", "path": "/client_secret", "value": ""}"#,
        #"{"op": "replace", "path": "/client_secret", "value": "short"}"#,
        #"{"op": "copy", "from": "/client_secret", "path": "/owner"}"#,
        #"{"op": "add", "path": "/client_secret/0", "value": "a"}"#,
        #"{"op": "add", "path": "/redirect_uris/-", "value": "http://shop.example.com"}"#,
        #"{"op": "replace", "path": "/grant_types", "value": ["implicit"]}"#,
        #"{"op": "add", "path": "/latchkey/disbaled", "value": true}"#,
        #"{"op": "test", "path": "/owner", "value": "x"}"#,
        #"{"op": "jump", "path": "/owner"}"#, "1",
    ])
    func `A patch with a forbidden or malformed operation changes nothing`(operation: String) async throws {
        let before = await create()
        let answer = await patch(#"{"op": "replace", "path": "/client_name", "value": "x"}, \#(operation)"#)

        #expect(answer.status == 400)
        #expect(await server.send(.get, "/admin/clients/shop").body == before.body.without("client_secret"))
        #expect(await server.send(.patch, "/admin/clients/shop", "{}").status == 400)
    }

    @Test func `Concurrent patches are all applied`() async throws {
        _ = await create()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    let operation = #"{"op": "add", "path": "/metadata/k\#(number)", "value": \#(number)}"#
                    #expect(await patch(operation).status == 200)
                }
            }
        }

        #expect(await server.send(.get, "/admin/clients/shop")["metadata"]?.members?.count == 12)
    }

    @Test func `Lifespans are replaced together, and everything else stays`() async throws {
        let before = await create(
            #"\#(Self.shop), "refresh_token_grant_id_token_lifespan": "2h", "owner": "a", "#
                + #""latchkey": {"first_party": true}"#
        )
        let path = "/admin/clients/shop/lifespans"
        let answer = await server.send(
            .put,
            path,
            #"{"authorization_code_grant_access_token_lifespan": "31h", "owner": "b"}"#
        )

        #expect(answer.status == 200, "\(answer.reason)")
        #expect(answer["authorization_code_grant_access_token_lifespan"] == "31h0m0s")
        #expect(answer["refresh_token_grant_id_token_lifespan"] == .null)
        #expect(answer["owner"] == "a" && answer["latchkey"] == before["latchkey"])
        let short = #"{"authorization_code_grant_access_token_lifespan": "0.5s"}"#
        #expect(await server.send(.put, path, short).status == 400)
        #expect(await server.send(.put, path, "[]").status == 400)
        #expect(await server.send(.put, "/admin/clients/other/lifespans", "{}").status == 404)
    }

    @Test(arguments: [
        ("GET", "/admin/clients/other", ""), ("GET", "/admin/clients/a%00b", ""),
        ("PUT", "/admin/clients/other", "{}"), ("PATCH", "/admin/clients/other", "[]"),
        ("DELETE", "/admin/clients/other", ""), ("POST", "/admin/clients/other/secrets/rotate", ""),
        ("DELETE", "/admin/clients/other/secrets/rotate", ""),
    ])
    func `Unknown clients aren't found`(method: String, path: String, body: String) async throws {
        _ = await create()

        #expect([400, 404].contains(await server.send(HTTP.Method(rawValue: method), path, body).status))
        #expect(try await actions() == ["client.created shop"])
    }

    @Test func `Clients are listed in pages, by name and by owner`() async throws {
        for number in 1...5 {
            let owner = number < 3 ? "a" : "b"
            _ = await create(
                #""client_id": "c\#(number)", "client_name": "n\#(number % 2)", "owner": "\#(owner)""#
            )
        }
        var (ids, next): ([String], String?) = ([], "/admin/clients?page_size=2")
        while let path = next {
            let page = await server.send(.get, path)
            #expect(page.status == 200 && page.entries.count <= 2)
            ids += page.entries.compactMap { $0["client_id"]?.text }
            next = page.link("next")
        }
        #expect(ids == ["c1", "c2", "c3", "c4", "c5"])

        func list(_ query: String) async -> [String] {
            await server.send(.get, "/admin/clients?\(query)").entries.compactMap { $0["client_id"]?.text }
        }
        #expect(await list("client_name=n1") == ["c1", "c3", "c5"])
        #expect(await list("owner=a") == ["c1", "c2"])
        #expect(await list("owner=b&client_name=n0") == ["c4"])
        #expect(await list("owner=B").isEmpty)
        let first = await server.send(.get, "/admin/clients?client_name=n1&page_size=2")
        #expect(first.link("next")?.contains("client_name=n1") == true)
        for query in ["page_token=!", "page_token=YSBi", "page_size=x", "page=1", "strange=1"] {
            #expect(await server.send(.get, "/admin/clients?\(query)").status == 400, "\(query)")
        }
    }

    @Test func `A deleted client is gone, and its id can be used again`() async throws {
        _ = await create()

        #expect(await server.send(.delete, "/admin/clients/shop").status == 204)
        #expect(await server.send(.get, "/admin/clients/shop").status == 404)
        #expect(await create().status == 201)
        #expect(
            try await actions() == ["client.created shop", "client.deleted shop", "client.created shop"]
        )
    }

    @Test func `Disabling and enabling a client are recorded`() async throws {
        _ = await create()
        _ = await patch(#"{"op": "add", "path": "/latchkey/disabled", "value": true}"#)
        _ = await patch(#"{"op": "add", "path": "/latchkey/disabled", "value": true}"#)
        _ = await patch(#"{"op": "add", "path": "/latchkey/disabled", "value": false}"#)

        // Events of one transaction have the same time, so their order isn't defined.
        let counts = Dictionary(grouping: try await actions()) { $0 }.mapValues(\.count)
        #expect(
            counts == [
                "client.created shop": 1, "client.changed shop": 3, "client.disabled shop": 1,
                "client.enabled shop": 1,
            ]
        )
    }
}

extension JSONValue {
    /// Returns an object without one of its members.
    func without(_ name: String) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }
}
