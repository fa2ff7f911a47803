import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Identity administration` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    @Test func `An identity can be created with every member that Kratos accepts`() async throws {
        let answer = await server.create(
            1,
            """
            \(AdminServer.password), "metadata_public": {"plan": "gold"}, "metadata_admin": {"risk": 2}, \
            "external_id": "crm-1", "state": "active", "organization_id": null, \
            "recovery_addresses": [{"value": "person1@example.org", "via": "email"}], \
            "verifiable_addresses": [{"value": "PERSON1@example.org", "via": "email", "verified": true, \
            "status": "completed", "verified_at": "2023-11-22T11:00:00+01:00"}, \
            {"value": "+46701000001", "via": "sms", "verified": false, "status": "sent", "verified_at": null}]
            """
        )

        #expect(answer.status == 201)
        #expect(answer.response.headers["Location"] == "/admin/identities/\(answer["id"]?.text ?? "")")
        #expect(answer["metadata_public"]?["plan"] == "gold")
        #expect(answer["metadata_admin"]?["risk"] == .integer(2))
        #expect(answer["external_id"] == "crm-1")
        let password = answer["credentials"]?["password"]
        #expect(password?["type"] == "password")
        #expect(password?["identifiers"] == .array(["+46701000001", "person1@example.org"]))
        #expect(password?["config"] == nil)
        #expect(password?["version"] == .integer(1))
        guard case .array(let addresses)? = answer["verifiable_addresses"] else {
            Issue.record("There are no addresses.")
            return
        }
        let email = try #require(addresses.first { $0["via"] == "email" })
        #expect(email["verified"] == .bool(true))
        #expect(email["verified_at"]?.text.flatMap { Timestamp(rfc3339: $0) } == Self.importedAt)
        let phone = try #require(addresses.first { $0["via"] == "sms" })
        #expect(phone["verified"] == .bool(false) && phone["status"] == "sent")
        #expect(try await server.people.login().status == 200)
        #expect(try await server.actions(answer["id"]?.text ?? "") == ["identity.created"])
    }

    private static let importedAt = Timestamp(rfc3339: "2023-11-22T10:00:00Z")

    @Test(arguments: [
        ("nonsense", "not valid JSON"),
        ("[]", "must be a JSON object"),
        (#"{"schema_id": "nope", "traits": {}}"#, "schema_id"),
        (#"{"schema_id": "person", "traits": {"email": "a"}}"#, "traits.email"),
        (AdminServer.body(1, #""strange": 1"#), "strange"),
        (AdminServer.body(1, #""state": "odd""#), "state"),
        (
            AdminServer.body(1, #""organization_id": "9a8cbfb3-87bd-4087-b48d-2569b1b43386""#),
            "organization_id"
        ),
        (AdminServer.body(1, #""credentials": {"oidc": {"config": {}}}"#), "oidc"),
        (
            AdminServer.body(1, #""credentials": {"password": {"config": {"hashed_password": "$x$y"}}}"#),
            "must be an argon2id"
        ),
        (AdminServer.body(1, #""credentials": {"password": {"config": {"salt": "x"}}}"#), "salt"),
        (AdminServer.body(1, #""credentials": 7"#), "credentials"),
        (AdminServer.body(1, #""credentials": {"password": 7}"#), "/credentials/password"),
        (AdminServer.body(1, #""credentials": {"password": {"identifiers": ["x"]}}"#), "identifiers"),
        (AdminServer.body(1, #""credentials": {"password": {"config": {"salt": false}}}"#), "salt"),
        (AdminServer.body(1, #""credentials": {"password": {"config": {"pasword": null}}}"#), "pasword"),
        (
            AdminServer.body(
                1,
                #""credentials": {"password": {"config": {"use_password_migration_hook": true}}}"#
            ), "use_password_migration_hook"
        ),
        (
            AdminServer.body(
                1,
                #""credentials": {"password": {"config": {"password": "x", "hashed_password": "$x$y"}}}"#
            ), "Only one of"
        ),
        (AdminServer.body(1, #""check_password": true"#), "check_password"),
        (AdminServer.body(1, #""stat": null"#), "stat"),
        (AdminServer.body(1, #""verifiable_addresses": [{"value": 7}]"#), "value"),
        (AdminServer.body(1, #""verifiable_addresses": [{}]"#), "/verifiable_addresses/0"),
        (AdminServer.body(1, #""verifiable_addresses": [\#(email), \#(email)]"#), "/verifiable_addresses/1"),
        (
            AdminServer.body(1, #""verifiable_addresses": [{"value": "stranger@example.org"}]"#),
            "/verifiable_addresses/0"
        ),
        (address(#""verifed": true"#), "verifed"),
        (address(#""verified": 1"#), "verified"),
        (address(#""via": "sms""#), "/verifiable_addresses/0/via"),
        (address(#""id": "1""#), "/verifiable_addresses/0/id"),
        (address(#""updated_at": "yesterday""#), "/verifiable_addresses/0/updated_at"),
        (address(#""verified_at": "2020-01-01T00:00:00Z""#), "/verifiable_addresses/0/verified_at"),
        (address(#""verified": false, "status": "completed""#), "/verifiable_addresses/0/status"),
        (address(#""verified": true, "status": "pending""#), "/verifiable_addresses/0/status"),
        (address(#""verified": false"#, #""verify_addresses": true"#), "verify_addresses"),
        (
            AdminServer.body(1, #""recovery_addresses": [{"value": "stranger@example.org"}]"#),
            "/recovery_addresses/0"
        ),
        (
            AdminServer.body(1, #""recovery_addresses": [{"value": "person1@example.org", "via": "sms"}]"#),
            "/recovery_addresses/0/via"
        ),
        (
            AdminServer.body(
                1,
                #""recovery_addresses": [{"value": "person1@example.org", "verified": true}]"#
            ), "verified"
        ),
        (AdminServer.body(1, #""check_password": true, \#(Self.weak)"#), "password"),
        (AdminServer.body(1, #""external_id": "\#(long(256))""#), "external_id"),
        (
            AdminServer.body(1, #""credentials": {"password": {"config": {"password": "\#(long(1025))"}}}"#),
            "password is too long"
        ),
    ])
    func `An identity isn't created if the body is invalid`(body: String, named: String) async throws {
        let answer = await server.send(.post, "/admin/identities", body)

        #expect(answer.status == 400)
        #expect(answer.reason.contains(named), "\(answer.reason)")
        #expect(try await server.people.count("identities") == 0)
        #expect(try await AuditLog.events(limit: 1, in: server.database).isEmpty)
    }

    private static func long(_ length: Int) -> String { String(repeating: "x", count: length) }

    private static let email = #"{"value": "person1@example.org"}"#

    /// Returns a body with a verifiable address that has the given members.
    private static func address(_ members: String, _ more: String = "") -> String {
        let address = #""verifiable_addresses": [{"value": "person1@example.org", \#(members)}]"#
        return AdminServer.body(1, more.isEmpty ? address : address + ", " + more)
    }

    @Test func `Addresses can be sent as another identity server has exported them`() async throws {
        let exported = #"""
            {"id": "9a8cbfb3-87bd-4087-b48d-2569b1b43386", "value": "person1@example.org", "via": "email",
             "created_at": "2020-01-01T00:00:00Z", "updated_at": "2020-01-02T00:00:00Z"
            """#
        let verification =
            #", "verified": true, "status": "completed", "verified_at": "2020-01-02T00:00:00Z"}"#

        let answer = await server.create(
            1,
            #""verifiable_addresses": [\#(exported)\#(verification)], "recovery_addresses": [\#(exported)}]"#
        )

        #expect(answer.status == 201, "\(answer.reason)")
        let address = answer["verifiable_addresses"]?.array?.first
        #expect(address?["verified_at"]?.text == "2020-01-02T00:00:00.000000Z")
        #expect(address?["id"]?.text != "9a8cbfb3-87bd-4087-b48d-2569b1b43386")
        #expect(address?["created_at"]?.text != "2020-01-01T00:00:00.000000Z")
    }

    @Test func `An external id can have up to 255 bytes and a password up to 1024`() async throws {
        let password = #""credentials": {"password": {"config": {"password": "\#(Self.long(1024))"}}}"#
        let answer = await server.create(1, #""external_id": "\#(Self.long(255))", \#(password)"#)

        #expect(answer.status == 201)
        #expect(answer["external_id"]?.text == Self.long(255))
    }

    @Test(arguments: [
        (HTTP.Method.post, "/admin/identities", 256), (.post, "/admin/sessions", 64),
        (.post, "/admin/recovery/code", 4),
    ])
    func `Request bodies are limited to the same size as on other routes`(
        method: HTTP.Method,
        path: String,
        kibibytes: Int
    ) async {
        let whole = "{}" + String(repeating: " ", count: kibibytes * 1024 - 2)

        #expect(await server.send(method, path, whole).status != 413)
        #expect(await server.send(method, path, whole + " ").status == 413)
    }

    private static let weak = #""credentials": {"password": {"config": {"password": "x"}}}"#

    @Test func `Operators can choose any password, as in Kratos`() async throws {
        #expect(await server.create(1, Self.weak).status == 201)
        #expect(try await server.people.login("person1@example.org", "x").status == 200)
    }

    @Test(arguments: ["null members", "none"])
    func `An identity can be created from traits alone`(kind: String) async throws {
        let more =
            #""state": null, "credentials": null, "metadata_public": null, "external_id": null, "organization_id": null"#
        let answer = await server.create(1, kind == "none" ? "" : more)

        #expect(answer.status == 201)
        #expect(answer["state"] == "active")
        #expect(answer["credentials"]?["password"] == nil)
        #expect(answer["metadata_public"] == .null)
        #expect(answer["external_id"] == nil)
    }

    @Test(arguments: ["email", "phone", "external_id"])
    func `A second identity with the same identifier or external id is rejected`(what: String) async throws {
        let external = #""external_id": "crm""#
        await server.create(1, external)
        let second =
            switch what {
            case "email": AdminServer.body(2).replacing("person2", with: "Person1")
            case "phone": AdminServer.body(2).replacing("+46701000002", with: "+46 70 100 00 01")
            default: AdminServer.body(2, external)
            }
        let answer = await server.send(.post, "/admin/identities", second)

        #expect(answer.status == 409)
        #expect(answer["error"]?["code"] == .integer(409))
        #expect(try await server.people.count("identities") == 1)
    }

    @Test func `Concurrent requests to create the same identity only create it once`() async throws {
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await server.create(1, AdminServer.password).status } }
            return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [201: 1, 409: 19])
        #expect(try await server.people.count("identities") == 1)
        #expect(try await server.people.count("passwords") == 1)
        #expect(try await AuditLog.events(limit: 100, in: server.database).count == 1)
    }

    @Test func `The response includes the password's hash algorithm but not the hash`() async throws {
        let id = try await server.id(1, AdminServer.password)
        let plain = await server.send(.get, "/admin/identities/\(id)")
        let shown = await server.send(.get, "/admin/identities/\(id)?include_credential=password")

        #expect(plain["credentials"]?["password"]?["config"] == nil)
        #expect(shown["credentials"]?["password"]?["config"]?.members?.keys.sorted() == ["algorithm"])
        #expect(await server.send(.get, "/admin/identities/\(id)?include_credential=foo").status == 400)
        #expect(await server.send(.get, "/admin/identities/\(id)?include_credential=totp").status == 200)
    }

    @Test func `An identity can be found by its id, its identifiers or its external id`() async throws {
        let id = try await server.id(1, #""external_id": "crm 1/ä""#)
        try await server.id(2).isEmpty ? () : ()

        #expect(await server.send(.get, "/admin/identities/\(id)")["id"]?.text == id)
        for identifier in [
            "person1@example.org", " PERSON1@example.org", "%2B46701000001", "%2B46+70+100+00+01",
        ] {
            let path = "/admin/identities?credentials_identifier=\(identifier.replacing(" ", with: "+"))"
            #expect(await server.send(.get, path).ids == [id], "\(identifier)")
        }
        #expect(await server.send(.get, "/admin/identities?credentials_identifier=missing").entries.isEmpty)
        let escaped = "/admin/identities/by/external/crm%201%2F%C3%A4"
        #expect(await server.send(.get, escaped)["id"]?.text == id)
        for path in ["zz", "9a8cbfb3-87bd-4087-b48d-2569b1b43386", "by/external/none"] {
            #expect(await server.send(.get, "/admin/identities/\(path)").status == 404)
        }
    }

    @Test func `Updating an identity replaces everything except the password`() async throws {
        let id = try await server.id(
            1,
            #"\#(AdminServer.password), "metadata_admin": 1, "external_id": "crm", "verify_addresses": true"#
        )
        let put = await server.send(
            .put,
            "/admin/identities/\(id)",
            AdminServer.body(1, #""metadata_public": [1]"#)
        )

        #expect(put.status == 200)
        #expect(put["metadata_public"] == .array([.integer(1)]))
        #expect(put["metadata_admin"] == .null)
        #expect(put["external_id"] == nil)
        #expect(try await server.people.login().status == 200)
        guard case .array(let addresses)? = put["verifiable_addresses"] else { return }
        #expect(addresses.allSatisfy { $0["verified"] == .bool(true) })
        #expect(try await server.actions(id) == ["identity.created", "metadata.changed"])
    }

    @Test func `The addresses of an identity can be sent back, and a verification can be withdrawn`()
        async throws
    {
        let id = try await server.id(1, #""verify_addresses": true"#)
        let before = await server.send(.get, "/admin/identities/\(id)")
        func put(_ verifiable: JSONValue?) async throws -> Answer {
            let lists = try [
                "verifiable_addresses": verifiable, "recovery_addresses": before["recovery_addresses"],
            ].map { name, list in
                let json = try JSONCoding.encode(try #require(list))
                return "\"\(name)\": " + String(decoding: json, as: UTF8.self)
            }
            let more = lists.joined(separator: ", ")
            return await server.send(.put, "/admin/identities/\(id)", AdminServer.body(1, more))
        }

        let same = try await put(before["verifiable_addresses"])
        #expect(same.status == 200, "\(same.reason)")
        #expect(same["verifiable_addresses"] == before["verifiable_addresses"])

        let withdrawn = try await put(
            .array([.object(["value": "person1@example.org", "verified": .bool(false)])])
        )
        #expect(withdrawn.status == 200, "\(withdrawn.reason)")
        guard case .array(let addresses)? = withdrawn["verifiable_addresses"] else { return }
        #expect(addresses.count == 2)
        #expect(addresses.allSatisfy { $0["verified"] == .bool($0["via"] == "sms") })
    }

    @Test(arguments: [
        ("9a8cbfb3-87bd-4087-b48d-2569b1b43386", AdminServer.body(1), 404),
        ("zz", AdminServer.body(1), 404),
        ("", AdminServer.body(2), 409),
        ("", #"{"schema_id": "person", "state": "active"}"#, 400),
        ("", AdminServer.body(1, #""strange": 1"#), 400),
    ])
    func `An identity isn't replaced if the body is invalid`(id: String, body: String, status: Int)
        async throws
    {
        let own = try await server.id(1)
        await server.create(2)
        let before = await server.send(.get, "/admin/identities/\(own)")
        let answer = await server.send(.put, "/admin/identities/\(id.isEmpty ? own : id)", body)

        #expect(answer.status == status)
        #expect(await server.send(.get, "/admin/identities/\(own)").body == before.body)
        #expect(try await server.actions(own) == ["identity.created"])
    }

    @Test func `An operator can replace the password of an identity`() async throws {
        let id = try await server.id(1, AdminServer.password)
        let body = AdminServer.body(
            1,
            #""credentials": {"password": {"config": {"password": "Quite-Another-9"}}}"#
        )
        #expect(await server.send(.put, "/admin/identities/\(id)", body).status == 200)

        #expect(try await server.people.login().status == 400)
        #expect(try await server.people.login("person1@example.org", "Quite-Another-9").status == 200)
        #expect(try await server.actions(id) == ["identity.created", "password.changed"])
    }

    @Test func `A password can only be removed once`() async throws {
        let id = try await server.id(1, AdminServer.password)
        let path = "/admin/identities/\(id)/credentials/"
        #expect(await server.send(.delete, path + "totp").status == 404)
        #expect(await server.send(.delete, path + "password").status == 204)
        #expect(await server.send(.delete, path + "password").status == 404)

        #expect(try await server.people.login().messages == [.invalidCredentials])
        #expect(try await server.actions(id) == ["identity.created", "password.removed"])
    }

    @Test func `An identity can only be deleted once, and its audit log is kept`() async throws {
        let id = try await server.id(1, AdminServer.password)
        #expect(await server.send(.delete, "/admin/identities/\(id)").status == 204)
        #expect(await server.send(.delete, "/admin/identities/\(id)").status == 404)
        #expect(await server.send(.get, "/admin/identities/\(id)").status == 404)

        let history = await server.send(.get, "/admin/audit?identity=\(id)")
        #expect(history.entries.map { $0["action"] } == ["identity.deleted", "identity.created"])
        #expect(history.entries.first?["actor"] == "operator")
        #expect(history.entries.first?["address"] == "192.0.2.9")
        #expect(await server.create(1).status == 201)
    }

    @Test func `Disabling an identity ends its sessions, and enabling it doesn't restore them`()
        async throws
    {
        let id = try await server.id(1, AdminServer.password)
        let token = try #require(try await server.people.login()["session_token"]?.text)
        let close = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
        let open = #"[{"op": "replace", "path": "/state", "value": "active"}]"#
        #expect(await server.send(.patch, "/admin/identities/\(id)", close)["state"] == "inactive")
        #expect(try await server.people.login().messages == [.identityDisabled])

        #expect(await server.send(.patch, "/admin/identities/\(id)", open)["state"] == "active")
        #expect(await server.people.get("/sessions/whoami", token: token).status == 401)
        #expect(try await server.people.login().status == 200)
        #expect(
            try await server.actions(id).filter { $0.hasPrefix("identity") }
                == ["identity.created", "identity.disabled", "identity.enabled"]
        )
    }
}
