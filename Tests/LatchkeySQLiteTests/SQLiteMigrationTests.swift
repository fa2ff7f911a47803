import LatchkeyModel
import LatchkeySQLite
import LatchkeyServer
import LatchkeyServerKit
import TestProcesses
import Testing

@Suite struct `SQLite migrations` {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    private func open(_ migrations: [Migration]) async throws -> SQLiteDatabase {
        try await .open(.file(folder.file()), migrations: migrations)
    }

    @Test func `Each migration runs once, and migrations run in order`() async throws {
        await (try await open([.notes])).close()
        await (try await open([.tags, .notes])).close()
        let database = try await open([.notes, .tags])

        let done = try await database.rows(
            "SELECT version, name, applied_at FROM latchkey_migrations ORDER BY 1"
        )
        #expect(try done.map { try $0.text(1) } == ["notes", "tags"])
        #expect(try done[0].time(2) > Timestamp(seconds: 1_700_000_000))
        #expect(try await database.rows("SELECT 1 FROM tags").count == 1)
        await database.close()
    }

    @Test func `A database that was migrated by a newer version is rejected`() async throws {
        await (try await open([.notes, .tags])).close()

        let error = await #expect(throws: DatabaseError.self) { try await open([.notes]) }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("newer version") == true)
    }

    @Test func `A failed migration is rolled back`() async throws {
        let broken = Migration(
            version: 2,
            name: "broken",
            sqlite: ["CREATE TABLE half (a)", "NO SQL"],
            postgreSQL: []
        )
        await #expect(throws: DatabaseError.self) { try await open([.notes, broken]) }

        let database = try await open([.notes])
        let tables = try await database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")
        #expect(try tables.map { try $0.text(0) } == ["latchkey_migrations", "notes"])
        await database.close()
    }

    @Test func `Migrations run once even if several processes start concurrently`() async throws {
        for round in 0..<5 {
            let path = folder.file("\(round).db")
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let database = try await SQLiteDatabase.open(
                            .file(path),
                            migrations: [.notes, .tags]
                        )
                        #expect(try await database.rows("SELECT name FROM tags").count == 1)
                        await database.close()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `No two migrations of the server have the same version`() {
        let versions = [Migration].all.map(\.version)
        #expect(Set(versions).count == versions.count)
    }

    @Test func `The migrations create the server's tables`() async throws {
        let database = try await SQLiteDatabase.open(.memory, migrations: .all)

        #expect(try await database.rows("SELECT count(*) FROM identities")[0].integer(0) == 0)
    }
}
