import LatchkeyModel
import LatchkeySQLite
import LatchkeyServer
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth
@testable import LatchkeyServerKit

@Suite struct `Identity version migration` {
    private let folder: TemporaryFolder
    private let first = Identifier("ffffffff-0000-4000-8000-00000000000a")
    private let second = Identifier("0000000a-0000-4000-8000-00000000000b")
    private let id = Identifier("9a8cbfb3-87bd-4087-b48d-2569b1b43386")

    init() throws {
        folder = TemporaryFolder()
    }

    @Test func `Passwords and the order of addresses are preserved`() async throws {
        let body =
            #"{"verifiable_addresses":[{"id":"\#(first?.description ?? "")"},{"id":"\#(second?.description ?? "")"}]}"#
        let path = folder.file()
        let old = try await SQLiteDatabase.open(.file(path), migrations: [.initial, .tokens])
        try await old.transaction { [first, second, id] transaction in
            try transaction.execute(
                """
                INSERT INTO identities (id, schema_id, state, traits, body, state_changed_at, created_at, updated_at)
                VALUES ($1, 'person', 'active', $2, $3, 1, 1, 1)
                """,
                .identifier(id),
                .blob(Array("{}".utf8)),
                .blob(Array(body.utf8))
            )
            try transaction.execute(
                "INSERT INTO passwords (identity_id, hash, updated_at) VALUES ($1, 'hash', 7)",
                .identifier(id)
            )
            for (address, value) in [(second, "+46701000001"), (first, "a@example.org")] {
                try transaction.execute(
                    """
                    INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, created_at, updated_at)
                    VALUES ($1, $2, 'verifiable', 'email', $3, 0, 'pending', 1, 1)
                    """,
                    .identifier(address),
                    .identifier(id),
                    .text(value)
                )
            }
        }
        await old.close()

        let database = try await SQLiteDatabase.open(.file(path), migrations: .all)
        let positions = try await database.rows("SELECT value, position FROM addresses ORDER BY position")
        let passwords = try await database.rows("SELECT hash, created_at FROM passwords")
        await database.close()
        #expect(try positions.map { try $0.text(0) } == ["a@example.org", "+46701000001"])
        #expect(try positions.map { try $0.integer(1) } == [0, 1])
        #expect(try passwords.map { try $0.integer(1) } == [7])
    }
}
