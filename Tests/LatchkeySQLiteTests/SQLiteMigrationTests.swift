import LatchkeyModel
import LatchkeySQLite
import LatchkeyServerCore
import TestProcesses
import Testing

@Suite struct `A migration of SQLite` {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    private func open(_ migrations: [Migration]) async throws -> SQLiteDatabase {
        try await .open(.file(folder.file()), migrations: migrations)
    }

    @Test func `is done once, in order, and written down`() async throws {
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

    @Test func `of a newer version keeps an older one out`() async throws {
        await (try await open([.notes, .tags])).close()

        let error = await #expect(throws: DatabaseError.self) { try await open([.notes]) }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("newer version") == true)
    }

    @Test func `that fails leaves nothing of itself`() async throws {
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

    @Test func `is done once when many start at the same time`() async throws {
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

    @Test func `of the server itself makes its tables`() async throws {
        let database = try await SQLiteDatabase.open(.memory)

        #expect(try await database.rows("SELECT count(*) FROM identities")[0].integer(0) == 0)
    }
}
