import Foundation
import LatchkeySQLite
import LatchkeyServer
import LatchkeyServerKit
import TestProcesses
import Testing

@Suite struct `SQLite database` {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    private func open(
        _ migrations: [Migration] = [.notes],
        busyTimeout: Duration = .seconds(10)
    ) async throws -> SQLiteDatabase {
        try await .open(
            .file(folder.file()),
            options: SQLiteOptions(busyTimeout: busyTimeout),
            migrations: migrations
        )
    }

    @Test func `Only the owner can access the database files`() async throws {
        let database = try await open()
        try await database.addNote("a")

        for name in ["test.db", "test.db-wal", "test.db-shm"] { #expect(try folder.mode(name) == 0o600) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        await database.close()
    }

    @Test func `If a database file already exists, other users lose access to it`() async throws {
        _ = FileManager.default.createFile(
            atPath: folder.file(),
            contents: nil,
            attributes: [.posixPermissions: 0o644]
        )

        let database = try await open()

        #expect(try folder.mode("test.db") == 0o600)
        await database.close()
    }

    @Test func `Data is retained when the database is opened again`() async throws {
        let first = try await open()
        try await first.addNote("a")
        await first.close()

        let second = try await open()
        #expect(try await second.noteCount() == 1)
        await second.close()
    }

    @Test func `A closed database rejects reads and writes`() async throws {
        let database = try await open()
        await database.close()

        for code in [
            await #expect(throws: DatabaseError.self) { try await database.noteCount() }?.code,
            await #expect(throws: DatabaseError.self) { try await database.addNote("a") }?.code,
        ] { #expect(code == .unavailable) }
        await database.close()
    }

    @Test func `Closing the database completes queued work first`() async throws {
        let database = try await open()
        let gate = Gate()
        async let first: Void = database.transaction { _ in gate.pass() }
        await gate.isReached()
        async let second: Void = database.transaction { _ in }
        async let closing: Void = database.close()
        gate.open()

        try await first
        _ = try? await second
        await closing
    }

    @Test func `A write waits for another process's write`() async throws {
        let (ours, theirs) = (try await open(), try await open())
        let gate = Gate()
        async let first: Void = theirs.transaction { transaction in
            try transaction.addNote("theirs")
            gate.pass()
        }
        await gate.isReached()
        #expect(try await ours.noteCount() == 0)
        async let second: Void = ours.addNote("ours")
        gate.open()

        try await first
        try await second
        #expect(try await theirs.noteCount() == 2)
        await ours.close()
        await theirs.close()
    }

    @Test func `Two processes that write continuously can share the file`() async throws {
        let (ours, theirs) = (try await open(), try await open())
        try await withThrowingTaskGroup { group in
            for (name, database) in [("ours", ours), ("theirs", theirs)] {
                group.addTask {
                    for number in 0..<100 {
                        try await database.transaction { transaction in
                            // The transaction must hold a write lock from the start. Otherwise, the insertion
                            // would fail if another transaction was committed after this query.
                            _ = try transaction.rows("SELECT count(*) FROM notes")
                            try transaction.addNote("\(name) \(number)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await ours.noteCount() == 200)
        await ours.close()
        await theirs.close()
    }

    @Test func `A temporary error is thrown when the maximum wait is exceeded`() async throws {
        let (ours, theirs) = (try await open(busyTimeout: .milliseconds(5)), try await open())
        let gate = Gate()
        async let first: Void = theirs.transaction { _ in gate.pass() }
        await gate.isReached()

        let error = await #expect(throws: DatabaseError.self) { try await ours.addNote("ours") }
        #expect(error?.code == .unavailable)
        gate.open()
        try await first
        try await ours.addNote("ours")
        await ours.close()
        await theirs.close()
    }

    @Test func `Reads see the committed state while another transaction writes`() async throws {
        let database = try await open()
        let gate = Gate()
        async let first: Void = database.transaction { transaction in
            try transaction.addNote("a")
            gate.pass()
        }
        await gate.isReached()

        #expect(try await database.noteCount() == 0)
        gate.open()
        try await first
        #expect(try await database.noteCount() == 1)
        await database.close()
    }

    @Test func `Writes outside transactions are rejected`() async throws {
        let database = try await open()

        await #expect(throws: DatabaseError.self) {
            try await database.rows("INSERT INTO notes (title) VALUES ('a') RETURNING id")
        }
        #expect(try await database.noteCount() == 0)
        await database.close()
    }

    @Test func `Each in-memory database is separate`() async throws {
        let database = try await SQLiteDatabase.open(.memory, migrations: [.notes])
        let other = try await SQLiteDatabase.open(.memory, migrations: [.notes])
        try await withThrowingTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    try await database.addNote("\(number)")
                    #expect(try await database.noteCount() > 0)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.noteCount() == 64)
        #expect(try await other.noteCount() == 0)
    }

    @Test func `The error explains why a database cannot be opened`() async throws {
        let error = await #expect(throws: DatabaseError.self) {
            try await SQLiteDatabase.open(.file(folder.file("missing/test.db")), migrations: .all)
        }
        #expect(error?.code == .unavailable)

        _ = FileManager.default.createFile(atPath: folder.file(), contents: Data("no database at all".utf8))
        let damaged = await #expect(throws: DatabaseError.self) { try await open() }
        #expect(damaged?.code == .failed)
    }
}
