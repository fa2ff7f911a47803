import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAdmin

/// Grants are stored by a later module, which this part stands for.
private struct GrantPart: AccountDataPart {
    let fails: Bool

    func endGrants(
        ofClient client: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "INSERT INTO leases (name, held_until) VALUES ($1, $2)",
            .text("ended \(client)"),
            .time(now)
        )
        if fails { throw DatabaseError(.failed, message: "The grants could not be ended.") }
    }
}

@Suite(.onEachDatabase) struct `Grants of a client` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private func administration(fails: Bool = false) -> ClientAdministration {
        let accounts = server.people.assembly.accounts
        return ClientAdministration(
            registry: accounts.clients,
            rules: accounts.clientRules,
            hasher: server.people.hasher,
            data: AccountData([GrantPart(fails: fails)]),
            random: SystemRandom(),
            audit: accounts.audit,
            database: server.database
        )
    }

    private var context: RequestContext {
        RequestContext(
            HTTP.Request(.put, "/"),
            from: PeerAddress(host: "192.0.2.9", port: 1),
            at: server.people.time.now
        )
    }

    private func ended() async throws -> [String] {
        try await server.database.rows("SELECT name FROM leases WHERE name LIKE 'ended %'").map {
            try $0.text(0)
        }
    }

    private func create(disabled: Bool = false) async throws {
        let body = try JSONParser.parse(
            Array(#"{"client_id": "shop", "latchkey": {"disabled": \#(disabled)}}"#.utf8)
        )
        _ = try await administration().create(body, in: context)
    }

    private func disable(_ administration: ClientAdministration) async throws {
        let patch = #"[{"op": "add", "path": "/latchkey/disabled", "value": true}]"#
        _ = try await administration.patch("shop", with: JSONParser.parse(Array(patch.utf8)), in: context)
    }

    @Test func `Deleting a client ends its grants`() async throws {
        try await create()

        try await administration().delete("shop", in: context)

        #expect(try await ended() == ["ended shop"])
    }

    @Test func `Disabling a client ends its grants, and changing a disabled one doesn't`() async throws {
        try await create()
        try await disable(administration())
        #expect(try await ended() == ["ended shop"])

        // Ending them again would violate the primary key of the table.
        try await disable(administration())
    }

    @Test func `Other changes don't end grants`() async throws {
        try await create()
        _ = try await administration().replace("shop", with: .object([]), in: context)
        _ = try await administration().rotateSecret(of: "shop", with: .object([]), in: context)

        #expect(try await ended().isEmpty)
    }

    @Test func `A client whose grants can't be ended stays as it is`() async throws {
        try await create()
        let administration = administration(fails: true)

        await #expect(throws: DatabaseError.self) {
            try await administration.delete("shop", in: context)
        }
        await #expect(throws: DatabaseError.self) { try await disable(administration) }

        let client = await server.send(.get, "/admin/clients/shop")
        #expect(client.status == 200 && client["latchkey"]?["disabled"] == .bool(false))
        #expect(try await ended().isEmpty)
        let actions = try await AuditLog.events(of: .nilUUID, limit: 9, in: server.database).map(\.action)
        #expect(actions == [.clientCreated])
    }
}
