import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServer
import LatchkeyServerKit
import TestDatabases
import Testing

extension Migration {
    fileprivate static let notes = Migration(
        version: 1,
        name: "notes",
        sqlite: [],
        postgreSQL: ["CREATE TABLE notes (id BIGINT PRIMARY KEY)", "CREATE INDEX notes_id ON notes (id)"]
    )

    fileprivate static let tags = Migration(
        version: 2,
        name: "tags",
        sqlite: [],
        postgreSQL: ["CREATE TABLE tags (name TEXT PRIMARY KEY)", "INSERT INTO tags VALUES ('first')"]
    )
}

@Suite(.timeLimit(.minutes(10))) struct `PostgreSQL migrations` {
    private let location: PostgreSQLLocation

    init() async throws {
        location = try PostgreSQLLocation(Secret(try await PostgresPool.shared.makeBare()))
    }

    private func open(_ migrations: [Migration]) async throws -> PostgreSQLDatabase {
        try await .open(location, options: PostgreSQLOptions(readers: 1, writers: 1), migrations: migrations)
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
            sqlite: [],
            postgreSQL: ["CREATE TABLE half (a BIGINT)", "NO SQL"]
        )
        await #expect(throws: DatabaseError.self) { try await open([.notes, broken]) }

        let database = try await open([.notes])
        let tables = try await database.rows(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        )
        #expect(try tables.map { try $0.text(0) } == ["latchkey_migrations", "notes"])
        await database.close()
    }

    @Test func `Migrations run once even if several servers start concurrently`() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try await open([.notes, .tags])
                    #expect(try await database.rows("SELECT name FROM tags").count == 1)
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `PostgreSQL and SQLite have the same tables`() async throws {
        let postgres = try await open(.all)
        let columns = try await postgres.rows(
            """
            SELECT table_name || '.' || column_name || ' ' || is_nullable FROM information_schema.columns \
            WHERE table_schema = 'public' AND table_name <> 'latchkey_migrations' ORDER BY 1
            """
        ).map { try $0.text(0) }
        let indexes = try await postgres.rows(
            """
            SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' ORDER BY 1
            """
        ).map { try $0.text(0) }
        await postgres.close()
        let sqlite = try await TestDatabase.sqlite.open()
        let wantedColumns = try await sqlite.rows(
            """
            SELECT t.name || '.' || c.name || ' ' || \
            CASE WHEN c."notnull" OR c.pk THEN 'NO' ELSE 'YES' END \
            FROM sqlite_schema t, pragma_table_info(t.name) c \
            WHERE t.type = 'table' AND t.name <> 'latchkey_migrations' ORDER BY 1
            """
        ).map { try $0.text(0) }
        let wantedIndexes = try await sqlite.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
        ).map { try $0.text(0) }
        await sqlite.close()

        #expect(columns.sorted() == wantedColumns.sorted())
        #expect(indexes.sorted() == wantedIndexes.sorted())
    }

    @Test func `A database that does not use UTF-8 is rejected`() async throws {
        let url = try await PostgresPool.shared.makeBare(encoding: "SQL_ASCII")

        let error = await #expect(throws: DatabaseError.self) {
            try await PostgreSQLDatabase.open(PostgreSQLLocation(Secret(url)), migrations: .all)
        }
        #expect(error?.message.contains("UTF8") == true)
    }
}
