import Foundation
import LatchkeyServerKit
import TestProcesses
import Testing

@testable import LatchkeySQLite

@Suite struct `SQLite snapshot` {
    private let folder = TemporaryFolder()

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test(arguments: [false, true])
    func `A snapshot reads a database and leaves its files unchanged`(isInUse: Bool) async throws {
        let database = try await SQLiteDatabase.open(.file(folder.file()), migrations: [.notes])
        try await database.addNote("a")
        if !isInUse { await database.close() }
        let before = try names()

        let snapshot = try SQLiteSnapshot(of: folder.file(), migrations: [.notes])

        #expect(try snapshot.hasTable("notes") && !snapshot.hasTable("people"))
        #expect(try await snapshot.noteCount() == 1)
        await #expect(throws: DatabaseError.self) { try await snapshot.addNote("b") }
        await snapshot.close()
        #expect(try names() == before)
        await database.close()
    }

    @Test func `A snapshot of a copied database reads its write-ahead log and leaves it unchanged`()
        async throws
    {
        let database = try await SQLiteDatabase.open(.file(folder.file()), migrations: [.notes])
        try await database.addNote("a")
        let copy = folder.file("copy")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.file() + suffix, toPath: copy + suffix)
        }
        await database.close()
        let before = try (names(), FileManager.default.contents(atPath: copy + "-wal"))

        let snapshot = try SQLiteSnapshot(of: copy, migrations: [.notes])
        #expect(try await snapshot.noteCount() == 1)
        await snapshot.close()

        let after = try (names(), FileManager.default.contents(atPath: copy + "-wal"))
        #expect(after == before && after.1?.isEmpty == false)
    }

    @Test func `An empty write-ahead log beside a copied database is not deleted`() async throws {
        await (try await SQLiteDatabase.open(.file(folder.file()), migrations: [.notes])).close()
        _ = FileManager.default.createFile(atPath: folder.file() + "-wal", contents: nil)

        let snapshot = try SQLiteSnapshot(of: folder.file(), migrations: [.notes])
        #expect(try snapshot.hasTable("notes"))
        await snapshot.close()

        #expect(try names() == ["test.db", "test.db-wal"])
    }

    @Test func `A database of a newer version is rejected`() async throws {
        await (try await SQLiteDatabase.open(.file(folder.file()), migrations: [.notes])).close()

        #expect(throws: DatabaseError.self) { try SQLiteSnapshot(of: folder.file(), migrations: []) }
    }

    @Test func `A file that isn't a database is rejected`() throws {
        let file = try folder.write("text")
        #expect(throws: DatabaseError.self) { try SQLiteSnapshot(of: file, migrations: []) }
        #expect(throws: DatabaseError.self) { try SQLiteSnapshot(of: file + "-missing", migrations: []) }
        #expect(try names() == ["file"])
    }

    @Test(arguments: ["a b", "a?b=c", "a#b", "a%20b", "å"])
    func `The path of a database can contain any characters`(name: String) async throws {
        let file = folder.file(name)
        await (try await SQLiteDatabase.open(.file(file), migrations: [.notes])).close()

        #expect(try SQLiteSnapshot(of: file, migrations: [.notes]).hasTable("notes"))
    }
}
