import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("The last way into an account", .onEachDatabase)
struct EntranceTests {
    private static let mail = "reader@example.org"

    /// Creates a reader, who logs in with codes and may have a password.
    private func reader(
        hasPassword: Bool = true,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> (server: AdminServer, id: String, token: String) {
        let admin = try await AdminServer(schema: "reader", change)
        let server = admin.people
        let flow = await server.begin(.registration)
        let traits: JSONValue = .object(["email": .string(Self.mail), "display_name": "x"])
        let answer: Answer
        if hasPassword {
            let body: JSONValue = .object([
                "method": "password", "password": .string(SelfServiceServer.password), "traits": traits,
            ])
            answer = try await server.submit(.registration, flow, body)
        } else {
            _ = try await server.submitCode(.registration, flow, ["traits": traits])
            let code = JSONValue.string(try await server.code(for: Self.mail))
            answer = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        }
        return (
            admin, try #require(answer["identity"]?["id"]?.text), try #require(answer["session_token"]?.text)
        )
    }

    @Test(arguments: [true, false])
    func `A user can't remove the last address`(hasPassword: Bool) async throws {
        let (admin, _, token) = try await reader(hasPassword: hasPassword)
        for traits in [["display_name": "y"], ["email": "", "display_name": "y"], [:]]
            as [[String: JSONValue]]
        {
            let answer = try await admin.people.change(traits: traits, token: token)
            #expect(answer.status == 400)
            #expect(!answer.messages("traits.email").isEmpty, "\(answer.body)")
        }
        #expect(try await admin.people.holder(of: Self.mail) != nil)
    }

    @Test func `A user can replace the last address`() async throws {
        let (admin, _, token) = try await reader()
        let answer = try await admin.people.change(traits: ["email": "new@example.org"], token: token)
        #expect(answer["state"] == "success", "\(answer.body)")
        #expect(try await admin.people.login("new@example.org").status == 200)
    }

    @Test func `Without a password, the only address is replaced once the new one is verified`() async throws
    {
        let (admin, _, token) = try await reader(hasPassword: false)
        let server = admin.people
        await server.messagesAreSent()
        server.time.advance(by: .seconds(31))
        let asked = try await server.change(traits: ["email": "new@example.org"], token: token)
        #expect(asked.status == 200)
        let flow = try #require(ClaimedAccount.verifications(asked)["new@example.org"], "\(asked.body)")
        #expect(try await server.holder(of: "new@example.org") == nil)
        let code = JSONValue.string(try await server.code(for: "new@example.org"))
        #expect(
            try await server.submitCode(.verification, flow, ["code": code])["state"] == "passed_challenge"
        )
        #expect(try await server.enter(.login, with: "new@example.org").status == 200)
        #expect(try await server.holder(of: Self.mail) == nil)
    }

    @Test func `Without a password and verifications, the only address can't be replaced`() async throws {
        let (admin, _, token) = try await reader(hasPassword: false) { $0.verification.isEnabled = false }
        let answer = try await admin.people.change(traits: ["email": "new@example.org"], token: token)
        #expect(answer.status == 400)
        #expect(try await admin.people.holder(of: "new@example.org") == nil)
        #expect(try await admin.people.enter(.login, with: Self.mail).status == 200)
    }

    @Test func `A user with a second address may remove the first`() async throws {
        let (admin, _, token) = try await reader()
        let server = admin.people
        let added = try await server.change(
            traits: ["email": .string(Self.mail), "phone": "+46701000001"],
            token: token
        )
        #expect(added["state"] == "success", "\(added.body)")
        let removed = try await server.change(traits: ["phone": "+46701000001"], token: token)
        #expect(removed["state"] == "success", "\(removed.body)")
        #expect(try await server.login("+46701000001").status == 200)
    }

    @Test(arguments: ["put", "patch"])
    func `An operator can't remove the last address`(_ method: String) async throws {
        let (admin, id, _) = try await reader()
        let answer =
            method == "put"
            ? await admin.send(
                .put,
                "/admin/identities/\(id)",
                #"{"schema_id": "reader", "state": "active", "traits": {"display_name": "y"}}"#
            )
            : await admin.send(
                .patch,
                "/admin/identities/\(id)",
                #"[{"op": "remove", "path": "/traits/email"}]"#
            )
        #expect(answer.status == 400)
        #expect(answer["error"]?["reason"]?.text?.hasPrefix("traits.email: ") == true, "\(answer.body)")
        #expect(try await admin.people.login(Self.mail).status == 200)
    }

    @Test func `An operator can't delete the password if it is the only way to log in`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "nick": {"type": "string", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}}}}}}}
            """
        let admin = try await AdminServer(schema: "own", schemas: ["own": schema])
        let made = await admin.send(
            .post,
            "/admin/identities",
            #"""
            {"schema_id": "own", "traits": {"nick": "ann"},
             "credentials": {"password": {"config": {"password": "correct-Horse-7-battery"}}}}
            """#
        )
        let id = try #require(made["id"]?.text, "\(made.body)")
        let answer = await admin.send(.delete, "/admin/identities/\(id)/credentials/password")
        #expect(answer.status == 400)
        #expect(try await admin.people.login("ann").status == 200)

        let other = try await reader()
        let path = "/admin/identities/\(other.id)/credentials/password"
        #expect(await other.server.send(.delete, path).status == 204)
    }

    @Test func `An account without an identifier or recovery address can't be created`() async throws {
        let admin = try await AdminServer(schema: "reader")
        let answer = await admin.send(
            .post,
            "/admin/identities",
            #"{"schema_id": "reader", "traits": {"display_name": "y"}}"#
        )
        #expect(answer.status == 400)
        #expect(answer["error"]?["reason"]?.text?.hasPrefix("traits.email: ") == true, "\(answer.body)")
        #expect(try await admin.people.count("identities") == 0)
    }

    @Test func `An operator's change of schema must contain the fields that the new schema requires`()
        async throws
    {
        let (admin, id, _) = try await reader()
        let put = await admin.send(
            .put,
            "/admin/identities/\(id)",
            #"{"schema_id": "person", "state": "active", "traits": {"email": "reader@example.org"}}"#
        )
        #expect(put.status == 400)
        #expect(put["error"]?["reason"]?.text?.contains("traits.phone: ") == true, "\(put.body)")
        let patch = await admin.send(
            .patch,
            "/admin/identities/\(id)",
            #"""
            [{"op": "replace", "path": "/schema_id", "value": "person"},
             {"op": "remove", "path": "/traits/display_name"}]
            """#
        )
        #expect(patch.status == 400)
        #expect(patch["error"]?["reason"]?.text?.contains("traits.phone: ") == true, "\(patch.body)")
    }

    @Test func `A field that a new version of the schema requires must be given with the next change`()
        async throws
    {
        func schema(_ required: String) -> String {
            """
            {"type": "object", "properties": {"traits": {"type": "object", "required": [\(required)],
              "properties": {
              "email": {"type": "string", "format": "email", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}, "recovery": {"via": "email"}}},
              "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
                "verification": {"via": "sms"}}},
              "name": {"type": "string"}}}}}
            """
        }
        let before = try SchemaCatalog(["own": Array(schema(#""email""#).utf8)], standard: "own").standard
        let after = try SchemaCatalog(["own": Array(schema(#""email", "phone""#).utf8)], standard: "own")
            .standard
        let traits = try Traits.valid(["email": "a@example.org"], for: before)
        let now = Timestamp(seconds: 1_800_000_000)
        let identity = Identity(schema: before, traits: traits, verified: [], at: now, random: SystemRandom())
        var form = Form()
        let changed = TraitValidator.read(
            .object([.init(name: "email", value: .string("a@example.org"))]),
            schema: after,
            optional: identity.waivedFields,
            into: &form
        )
        #expect(changed == nil)
        #expect(form.fieldMessages.map(\.field) == ["traits.phone"])
    }
}
