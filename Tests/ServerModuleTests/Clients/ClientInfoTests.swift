import LatchkeyAccounts
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Public information about clients` {
    /// A registration with every member that has an effect or is stored.
    private static let shop = #"""
        {"client_id": "shop", "client_name": "Shop ☕", "client_uri": "https://internal-uri.example.com",
        "client_secret": "internal-secret", "owner": "internal-owner", "contacts": ["internal@example.com"],
        "redirect_uris": ["https://internal-redirect.example.com/cb"], "scope": "openid profile",
        "post_logout_redirect_uris": ["https://internal-logout.example.com/"],
        "grant_types": ["authorization_code", "refresh_token"], "audience": ["https://internal-api.example.com"],
        "token_endpoint_auth_method": "client_secret_post",
        "allowed_cors_origins": ["https://internal-origin.example.com"], "skip_consent": true,
        "metadata": {"internal-note": 1}, "jwks_uri": "https://internal-keys.example.com",
        "latchkey": {"first_party": true, "app_to_app": true, "native_session": true, "sign_up": "link",
        "handover_from": ["internal-app"], "schemas": ["reader"], "terms": ["internal-draft"],
        "merchant": {"id": "47001", "name": "Shop AS", "kind": "external"}, "claims_in_id_token": false,
        "required_fields": [{"name": "birthday", "minimum_age": 16},
        {"name": "display_name", "required": false, "minimum_length": 3, "maximum_length": 40}]}}
        """#

    /// The members that anyone can read, and no others.
    private static let published = #"""
        {"client_id":"shop","client_name":"Shop ☕","merchant":{"id":"47001","kind":"external","name":"Shop AS"},\#
        "required_fields":[{"minimum_age":16,"name":"birthday","required":true},\#
        {"maximum_length":40,"minimum_length":3,"name":"display_name","required":false}],"sign_up":"link"}
        """#

    private let admin: AdminServer
    private var server: SelfServiceServer { admin.people }

    init() async throws {
        admin = try await AdminServer { $0.limits.publicReadsPerAddress = [Rate(8, per: .seconds(60))] }
    }

    private func create(_ members: String = shop) async {
        let answer = await admin.send(.post, "/admin/clients", members)
        #expect(answer.status == 201, "\(answer.reason)")
        // The key for the client's ID tokens is generated in the background.
        await server.assembly.tokens.keys.stop()
    }

    private func disable() async {
        let operations = #"[{"op": "replace", "path": "/latchkey/disabled", "value": true}]"#
        let answer = await admin.send(.patch, "/admin/clients/shop", operations)
        #expect(answer.status == 200, "\(answer.reason)")
    }

    private func read(
        _ id: String = "shop",
        _ headers: HTTP.Headers = [:],
        by method: HTTP.Method = .get,
        from host: String = "192.0.2.1"
    ) async -> Answer {
        await server.send(HTTP.Request(method, "/a/clients/" + id, headers: headers), from: host)
    }

    /// The header fields of a response, except for the id of the request.
    private static func fields(_ answer: Answer) -> [String] {
        answer.response.headers.fields.filter { $0.name != RequestID.field }.map { "\($0.name): \($0.value)" }
    }

    @Test func `Exactly the public members of a registration are published`() async {
        await create()
        let answer = await read()

        #expect(answer.status == 200)
        #expect(String(decoding: answer.response.body, as: UTF8.self) == Self.published)
    }

    @Test func `A client with the defaults has no merchant and no fields`() async {
        await create(#"{"client_id": "shop"}"#)

        let body = #"{"client_id":"shop","client_name":"","required_fields":[],"sign_up":"open"}"#
        #expect(String(decoding: await read().response.body, as: UTF8.self) == body)
    }

    @Test func `An id with reserved characters is percent-encoded in the path`() async {
        await create(#"{"client_id": "https://shop.example.com/app@1"}"#)
        let answer = await read("https%3A%2F%2Fshop.example.com%2Fapp%401")

        #expect(answer["client_id"] == "https://shop.example.com/app@1")
        #expect(await read("https:%2F%2Fshop.example.com%2Fapp@1").status == 200)
        #expect(await read("https://shop.example.com/app@1").status == 404)
    }

    @Test func `A disabled client is answered like one that doesn't exist`() async {
        await create()
        let tag = await read().response.headers["ETag"] ?? ""
        await disable()
        let disabled = await read()
        let unknown = await read("other")

        #expect(disabled.status == 404 && unknown.status == 404)
        #expect(disabled.response.body == unknown.response.body)
        #expect(Self.fields(disabled) == Self.fields(unknown))
        #expect(disabled.response.headers["Cache-Control"]?.contains("no-store") == true)
        #expect(await read("shop", ["If-None-Match": tag]).status == 404)
    }

    @Test(arguments: ["a%20b", "%00", "%2E%2E", "shop%2F", "Shop", "sh%C3%B6p", "%FF"])
    func `A text that is no client's id is refused`(id: String) async {
        await create()

        #expect([400, 404].contains(await read(id).status))
    }

    @Test func `The response can be cached by everyone for a minute`() async {
        await create()
        let found = await read()
        let headers = found.response.headers

        #expect(headers["Cache-Control"] == "public, max-age=60")
        #expect(headers["Set-Cookie"] == nil)
        #expect(headers["ETag"] == EntityTag(of: Array(Self.published.utf8)).value)
        let head = await read(by: .head)
        #expect(head.status == 200 && Self.fields(head) == Self.fields(found))
    }

    @Test func `The body isn't sent again until it changes`() async throws {
        await create()
        let tag = try #require(await read().response.headers["ETag"])
        let repeated = await read("shop", ["If-None-Match": "\"other\", W/\(tag)"])

        #expect(repeated.status == 304 && repeated.response.body.isEmpty)
        #expect(repeated.response.headers["ETag"] == tag)
        #expect(repeated.response.headers["Cache-Control"] == "public, max-age=60")
        let change = #"[{"op": "replace", "path": "/client_name", "value": "Store"}]"#
        _ = await admin.send(.patch, "/admin/clients/shop", change)
        let changed = await read("shop", ["If-None-Match": tag])
        #expect(changed.status == 200 && changed["client_name"] == "Store")
        #expect(changed.response.headers["ETag"] != tag)
    }

    @Test(
        arguments: [
            ([#""x""#], false), ([#"W/"x""#], false), (["*"], true), ([#""TAG""#], true),
            ([#"W/"TAG""#], true), ([#""x" , "TAG""#], true), ([#""x""#, #""TAG""#], true),
            ([#"w/"TAG""#], false), (["TAG"], false), ([#""TAG"#], false), ([""], false),
        ] as [([String], Bool)]
    )
    func `A body is known to a client that names its tag`(fields: [String], isKnown: Bool) {
        let tag = EntityTag(of: [1])
        let text = tag.value.filter { $0 != "\"" }
        var request = HTTP.Request(.get, "/")
        for field in fields {
            let value = field.replacing("TAG", with: text)
            request.headers.fields.append(HTTP.Headers.Field(name: "if-none-match", value: value))
        }

        #expect(tag.isKnown(to: request) == isKnown)
    }

    @Test func `The requests of a network are limited, for clients that exist and for others`() async {
        await create()
        for number in 0..<8 { #expect(await read(number % 2 == 0 ? "shop" : "other").status < 429) }
        let refused = [await read(), await read("other"), await read("shop", ["If-None-Match": "*"])]

        for answer in refused {
            #expect(answer.status == 429 && answer.errorID == .tooManyRequests)
            #expect(answer.response.headers["Retry-After"] != nil)
            #expect(answer.response.headers["Cache-Control"]?.contains("no-store") == true)
        }
        #expect(await read(from: "192.0.2.2").status == 200)
        server.time.advance(by: .seconds(61))
        #expect(await read().status == 200)
    }
}
