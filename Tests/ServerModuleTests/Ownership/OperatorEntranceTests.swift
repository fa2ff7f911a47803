import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Operators may not close an account by accident, but they may change accounts that are closed.
@Suite("Operators and the last way into an account", .onEachDatabase)
struct OperatorEntranceTests {
    private static let schema = """
        {"type": "object", "properties": {"traits": {"type": "object", "properties": {
          "nick": {"type": "string", "ory.sh/kratos": {
            "credentials": {"password": {"identifier": true}}}},
          "email": {"type": "string", "format": "email", "ory.sh/kratos": {
            "verification": {"via": "email"}, "recovery": {"via": "email"}}},
          "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
            "verification": {"via": "sms"}}}}}}}
        """

    private let admin: AdminServer

    init() async throws {
        admin = try await AdminServer(schema: "own", schemas: ["own": Self.schema]) {
            $0.changes.verifiedFirst = .always
        }
    }

    private func create(_ traits: String, password: Bool = false) async throws -> String {
        let answer = await admin.send(.post, "/admin/identities", Self.body(traits, password: password))
        return try #require(answer["id"]?.text, "\(answer.body)")
    }

    private func replace(_ id: String, with traits: String, password: Bool = false) async -> Int {
        let body = Self.body(traits, password: password)
        return await admin.send(.put, "/admin/identities/\(id)", body).status
    }

    private static func body(_ traits: String, password: Bool) -> String {
        let credentials = #""credentials": {"password": {"config": {"password": "correct-Horse-7-battery"}}}"#
        return """
            {"schema_id": "own", "state": "active", "traits": \(traits)\(password ? ", " + credentials : "")}
            """
    }

    /// Confirms all accounts, and withdraws the proofs of their addresses.
    private func confirmAll() async throws {
        try await admin.database.transaction { [now = admin.people.time.now] transaction in
            _ = try transaction.execute("UPDATE identities SET confirmed_at = $1", .time(now))
            _ = try transaction.execute("DELETE FROM address_states")
        }
    }

    @Test func `An account with only a recovery address can be created`() async throws {
        let id = try await create(#"{"email": "ann@example.org"}"#)
        #expect(await admin.send(.get, "/admin/identities/\(id)").status == 200)
    }

    @Test func `An account that its user couldn't enter before can be changed`() async throws {
        let id = try await create(#"{"nick": "ann"}"#)
        #expect(await replace(id, with: #"{"nick": "anna"}"#) == 200)
    }

    @Test func `The only identifier of an account with a password can't be removed`() async throws {
        let id = try await create(#"{"nick": "ann"}"#, password: true)
        #expect(await replace(id, with: "{}") == 400)
        #expect(await replace(id, with: #"{"nick": "anna"}"#) == 200)
        #expect(try await admin.people.login("anna").status == 200)
    }

    @Test func `A password that is set with the same change counts`() async throws {
        let id = try await create(#"{"email": "ann@example.org"}"#)
        #expect(await replace(id, with: #"{"nick": "ann"}"#) == 400)
        #expect(await replace(id, with: #"{"nick": "ann"}"#, password: true) == 200)
        #expect(try await admin.people.login("ann").status == 200)
    }

    @Test func `An unproven address of a confirmed account can't be removed if it is the last way in`()
        async throws
    {
        let id = try await create(#"{"email": "ann@example.org"}"#)
        try await confirmAll()
        #expect(await replace(id, with: #"{"nick": "ann"}"#) == 400)
    }

    @Test func `The password can be removed if a confirmed account has an unproven address`() async throws {
        let id = try await create(#"{"nick": "ann", "email": "ann@example.org"}"#, password: true)
        try await confirmAll()
        #expect(await admin.send(.delete, "/admin/identities/\(id)/credentials/password").status == 204)
    }

    @Test func `A change that waits for a code isn't made if it would remove the last way in by then`()
        async throws
    {
        let server = admin.people
        let id = try await create(#"{"nick": "ann", "email": "ann@example.org"}"#, password: true)
        let token = try #require(try await server.login("ann").sessionToken)
        let asked = try await server.change(traits: ["nick": "ann", "phone": "+46701000009"], token: token)
        let flow = try #require(ClaimedAccount.verifications(asked)["+46701000009"], "\(asked.body)")
        let code = JSONValue.string(try await server.code(for: "+46701000009"))
        // The operator's own route would also end the session.
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute("DELETE FROM passwords")
        }
        let answer = try await server.submitCode(.verification, flow, ["code": code])
        #expect(answer.errorID == .flowReplaced, "\(answer.body)")
        let stored = try await server.identity(try #require(Identifier(id)))
        #expect(stored.recovery.map(\.address.value) == ["ann@example.org"])
    }
}
