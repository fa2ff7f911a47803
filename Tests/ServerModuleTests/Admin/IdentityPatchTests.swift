import LatchkeyModel
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Patching an identity with JSON Patch` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private func patch(_ id: String, _ body: String) async -> Answer {
        await server.send(.patch, "/admin/identities/\(id)", body)
    }

    @Test(arguments: [
        (#"[{"op": "replace", "path": "/traits/email", "value": "New@example.org"}]"#, "traits.changed"),
        (#"[{"op": "add", "path": "/metadata_admin", "value": {"a": 1}}]"#, "metadata.changed"),
        (#"[{"op": "add", "path": "/metadata_public", "value": 1}]"#, "metadata.changed"),
        (#"[{"op": "add", "path": "/external_id", "value": "crm"}]"#, "metadata.changed"),
        (
            #"[{"op": "replace", "path": "/verifiable_addresses/0/verified", "value": true}]"#,
            "address.verified"
        ),
        (#"[{"op": "replace", "path": "/state", "value": "inactive"}]"#, "identity.disabled"),
    ])
    func `A patch changes the given members and is recorded in the audit log`(body: String, action: String)
        async throws
    {
        let id = try await server.id(1)
        let before = await server.send(.get, "/admin/identities/\(id)")
        let answer = await patch(id, body)

        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer.body != before.body)
        #expect(answer.body == (await server.send(.get, "/admin/identities/\(id)")).body)
        #expect(try await server.actions(id) == ["identity.created", action])
    }

    @Test(arguments: [
        #"[{"op": "replace", "path": "/id", "value": "x"}]"#,
        #"[{"op": "replace", "path": "/credentials", "value": {}}]"#,
        #"[{"op": "remove", "path": "/credentials/password"}]"#,
        #"[{"op": "copy", "from": "/credentials/password", "path": "/metadata_admin"}]"#,
        #"[{"op": "remove", "path": "/verifiable_addresses/0"}]"#,
        #"[{"op": "remove", "path": "/verifiable_addresses"}]"#,
        #"[{"op": "replace", "path": "/verifiable_addresses", "value": []}]"#,
        #"[{"op": "add", "path": "/verifiable_addresses/-", "value": {"value": "x@example.org"}}]"#,
        #"[{"op": "remove", "path": "/verifiable_addresses/0/via"}]"#,
        #"[{"op": "remove", "path": "/verifiable_addresses/0/verified"}]"#,
        #"[{"op": "replace", "path": "/verifiable_addresses/0/via", "value": "carrier_pigeon"}]"#,
        #"[{"op": "replace", "path": "/verifiable_addresses/0/value", "value": "x@example.org"}]"#,
        #"[{"op": "replace", "path": "/verifiable_addresses/0/created_at", "value": "2020-01-01T00:00:00Z"}]"#,
        #"[{"op": "replace", "path": "/verifiable_addresses/0/verified_at", "value": "2020-01-01T00:00:00Z"}]"#,
        #"[{"op": "add", "path": "/verifiable_addresses/0/note", "value": "x"}]"#,
        #"[{"op": "replace", "path": "/recovery_addresses/0/value", "value": "x@example.org"}]"#,
        #"[{"op": "replace", "path": "/created_at", "value": "2020-01-01T00:00:00Z"}]"#,
        #"[{"op": "replace", "path": "/state_changed_at", "value": "2020-01-01T00:00:00Z"}]"#,
        #"[{"op": "replace", "path": "", "value": {}}]"#,
        #"[{"op": "replace", "path": "/state", "value": "odd"}]"#,
        #"[{"op": "replace", "path": "/schema_id", "value": "nope"}]"#,
        #"[{"op": "replace", "path": "/traits/email", "value": "b"}]"#,
        #"[{"op": "remove", "path": "/traits/email"}]"#,
        #"[{"op": "replace", "path": "/traits/nothing", "value": 1}]"#,
        #"[{"op": "test", "path": "/state", "value": "inactive"}]"#,
        #"[{"op": "jump", "path": "/state"}]"#,
        #"{"op": "replace"}"#,
        "nonsense",
    ])
    func `A patch with a forbidden or malformed operation leaves the identity unchanged`(body: String)
        async throws
    {
        let id = try await server.id(1, AdminServer.password)
        let before = await server.send(.get, "/admin/identities/\(id)")
        // The invalid operation comes after a valid one, which must not be applied either.
        let whole =
            body.hasPrefix("[")
            ? #"[{"op": "add", "path": "/metadata_public", "value": 1}, \#(body.dropFirst())"# : body
        let answer = await patch(id, whole)

        #expect(answer.status == 400)
        #expect(await server.send(.get, "/admin/identities/\(id)").body == before.body)
    }

    @Test(arguments: [
        (
            #"[{"op": "add", "path": "/metadata_public/plan", "value": "pro"}]"#, "metadata_public",
            #"{"plan":"pro"}"#
        ),
        (#"[{"op": "add", "path": "/metadata_admin/crm", "value": 7}]"#, "metadata_admin", #"{"crm":7}"#),
        (
            #"[{"op": "replace", "path": "/metadata_admin/a/b", "value": 7}]"#, "metadata_admin",
            #"{"a":{"b":7}}"#
        ),
        (
            #"[{"op": "add", "path": "/metadata_public/tags/-", "value": 1}]"#, "metadata_public",
            #"{"tags":[1]}"#
        ),
    ])
    func `Missing objects in the metadata are created`(
        body: String,
        member: String,
        result: String
    ) async throws {
        let id = try await server.id(1)

        let answer = await patch(id, body)

        #expect(answer.status == 200, "\(answer.body)")
        let found = try JSONCoding.encode(try #require(answer[member]))
        #expect(String(decoding: found, as: UTF8.self) == result)
    }

    @Test(arguments: [
        (
            #"[{"op": "replace", "path": "/traits/email", "value": "new@example.org"}]"#, "new@example.org",
            true
        ),
        (#"[{"op": "add", "path": "/metadata_public", "value": 1}]"#, "person1@example.org", false),
        (
            """
            [{"op": "test", "path": "/traits/email", "value": "person1@example.org"}, \
            {"op": "replace", "path": "/state", "value": "active"}]
            """, "person1@example.org", false
        ),
        (
            #"[{"op": "copy", "from": "/traits/email", "path": "/metadata_admin"}]"#, "person1@example.org",
            false
        ),
    ])
    func `A patch marks an account's addresses as verified if it changes the traits`(
        body: String,
        address: String,
        isProven: Bool
    ) async throws {
        let account = try await server.people.register()
        let id = try #require(account["identity"]?["id"]?.text)

        #expect(await patch(id, body).status == 200)

        let provers = try await server.people.provers(of: address).map(\.description)
        #expect(provers == (isProven ? [id] : []))
    }

    @Test func `Address verification by an operator is recorded only once`() async throws {
        let account = try await server.people.register()
        let id = try #require(account["identity"]?["id"]?.text)

        _ = await patch(id, #"[{"op": "add", "path": "/traits/name", "value": "Ola"}]"#)
        #expect(try await Set(server.actions(id)) == ["traits.changed", "address.verified"])
        _ = await patch(id, #"[{"op": "add", "path": "/traits/name", "value": "Kari"}]"#)
        #expect(try await server.actions(id).count == 3)
    }

    @Test func `The replace operation adds a trait that doesn't exist yet`() async throws {
        let id = try await server.id(1)

        let answer = await patch(id, #"[{"op": "replace", "path": "/traits/name", "value": "Ola"}]"#)

        #expect(answer["traits"]?["name"] == "Ola", "\(answer.body)")
    }

    @Test func `Keys that are set by concurrent requests are preserved`() async throws {
        let id = try await server.id(1)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let answer = await patch(
                        id,
                        #"[{"op": "add", "path": "/metadata_admin/keys/k\#(number)", "value": \#(number)}]"#
                    )
                    #expect(answer.status == 200)
                }
            }
        }

        let found = await server.send(.get, "/admin/identities/\(id)")["metadata_admin"]?["keys"]
        guard case .object(let keys)? = found else {
            Issue.record("There are no keys.")
            return
        }
        #expect(keys.count == 20)
    }

    @Test func `A patch can't set an identifier that another identity uses`() async throws {
        let id = try await server.id(1)
        await server.create(2)

        let body = #"[{"op": "replace", "path": "/traits/email", "value": "person2@example.org"}]"#
        #expect(await patch(id, body).status == 409)
        #expect(await patch("9a8cbfb3-87bd-4087-b48d-2569b1b43386", "[]").status == 404)
    }

    @Test(arguments: ["id", "via", "value", "created_at", "updated_at"])
    func `A refused change of an address names the path, and an equal value is accepted`(
        member: String
    ) async throws {
        let id = try await server.id(1)
        let before = await server.send(.get, "/admin/identities/\(id)")
        guard case .array(let addresses)? = before["verifiable_addresses"] else { return }
        let path = "/verifiable_addresses/1/\(member)"
        func replace(_ value: String) async -> Answer {
            await patch(id, #"[{"op": "replace", "path": "\#(path)", "value": "\#(value)"}]"#)
        }

        let other = await replace(
            ["id": "9a8cbfb3-87bd-4087-b48d-2569b1b43386", "via": "fax", "value": "x@example.org"][member]
                ?? "2020-01-01T00:00:00Z"
        )
        #expect(other.status == 400 && other.reason.contains(path), "\(other.reason)")
        let same = await replace(try #require(addresses.last?[member]?.text))
        #expect(same.status == 200, "\(same.reason)")
        #expect(same["verifiable_addresses"] == before["verifiable_addresses"])
    }

    @Test func `A patch can set the date of a verification`() async throws {
        let id = try await server.id(1)
        let (first, second) = ("2023-11-22T10:00:00Z", "2022-01-01T00:00:00Z")
        func date(_ operations: String) async -> Timestamp? {
            let answer = await patch(id, "[\(operations)]")
            #expect(answer.status == 200, "\(answer.reason)")
            guard case .array(let addresses)? = answer["verifiable_addresses"] else { return nil }
            return addresses.first?["verified_at"]?.text.flatMap { Timestamp(rfc3339: $0) }
        }
        let path = "/verifiable_addresses/0"

        let verifies = #"{"op": "replace", "path": "\#(path)/verified", "value": true}"#
        let dates = #"{"op": "add", "path": "\#(path)/verified_at", "value": "\#(first)"}"#
        #expect(await date(verifies + ", " + dates) == Timestamp(rfc3339: first))
        let changes = #"{"op": "replace", "path": "\#(path)/verified_at", "value": "\#(second)"}"#
        #expect(await date(changes) == Timestamp(rfc3339: second))
        #expect(await patch(id, #"[{"op": "remove", "path": "\#(path)/verified_at"}]"#).status == 400)
        #expect(
            await patch(id, #"[{"op": "replace", "path": "\#(path)/status", "value": "sent"}]"#).status == 400
        )
        let withdraws = #"{"op": "replace", "path": "\#(path)/verified", "value": false}"#
        #expect(await date(withdraws) == nil)
    }

    @Test func `A patch can replace an address in the traits, but not verify the old one as well`()
        async throws
    {
        let id = try await server.id(1)
        let replaces = #"{"op": "replace", "path": "/traits/phone", "value": "+46701999999"}"#
        let verifies = #"{"op": "replace", "path": "/verifiable_addresses/1/verified", "value": true}"#
        let both = await patch(id, "[\(replaces), \(verifies)]")
        #expect(both.status == 400 && both.reason.contains("/verifiable_addresses/1"), "\(both.reason)")

        let answer = await patch(id, "[\(replaces)]")
        #expect(answer.status == 200, "\(answer.reason)")
        guard case .array(let addresses)? = answer["verifiable_addresses"] else { return }
        #expect(addresses.map { $0["value"] } == ["person1@example.org", "+46701999999"])
    }

    @Test func `A patch can mark an address as unverified`() async throws {
        let id = try await server.id(1, #""verify_addresses": true"#)
        let answer = await patch(
            id,
            """
            [{"op": "replace", "path": "/verifiable_addresses/0/verified", "value": false}, \
            {"op": "replace", "path": "/verifiable_addresses/0/status", "value": "pending"}]
            """
        )

        guard case .array(let addresses)? = answer["verifiable_addresses"] else { return }
        #expect(addresses.map { $0["verified"] } == [.bool(false), .bool(true)])
        #expect(addresses.first?["status"] == "pending")
    }

    @Test func `Concurrent patches are all applied`() async throws {
        let id = try await server.id(1, #""metadata_admin": []"#)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await patch(id, #"[{"op": "add", "path": "/metadata_admin/-", "value": \#(number)}]"#)
                        .status
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }

        #expect(statuses == [200])
        guard case .array(let kept)? = await server.send(.get, "/admin/identities/\(id)")["metadata_admin"]
        else {
            Issue.record("The metadata is not an array.")
            return
        }
        #expect(Set(kept) == Set((0..<20).map { JSONValue.integer($0) }))
    }
}
