import LatchkeySQLite
import LatchkeyServerKit
import Testing

@Suite struct `SQLite values` {
    private static let values: [SQLValue] = [
        .null, .integer(0), .integer(.min), .integer(.max), .text(""), .text("a\u{0}b"), .text("häßlich 🗝"),
        .blob([]), .blob([0]), .blob(Array(0...255)),
    ]

    @Test(arguments: values)
    func `Values are returned as they were stored`(value: SQLValue) async throws {
        let database = try await SQLiteDatabase.open(.memory, migrations: [])

        let row = try await database.rows("SELECT $1", value)[0]

        switch value {
        case .null: #expect(row.isNull(0))
        case .integer(let number): #expect(try row.integer(0) == number)
        case .text(let text): #expect(try Array(row.text(0).utf8) == Array(text.utf8))
        case .blob(let bytes): #expect(try row.blob(0) == bytes)
        }
    }

    @Test func `Text that is not UTF-8 is rejected`() async throws {
        let database = try await SQLiteDatabase.open(.memory, migrations: [])

        await #expect(throws: DatabaseError.self) { try await database.rows("SELECT CAST(X'41E9' AS TEXT)") }
    }

    @Test func `Numbered parameters can be used in any order and more than once`() async throws {
        let database = try await SQLiteDatabase.open(.memory, migrations: [])

        let row = try await database.rows("SELECT $2, $1, $2, $11", (1...11).map { .integer($0 * 10) })[0]

        #expect(try (0..<4).map { try row.integer($0) } == [20, 10, 20, 110])
    }

    @Test func `Extra and missing values are rejected`() async throws {
        let database = try await SQLiteDatabase.open(.memory, migrations: [])

        await #expect(throws: DatabaseError.self) { try await database.rows("SELECT $1, $2", .integer(1)) }
        await #expect(throws: DatabaseError.self) { try await database.rows("SELECT 1", .integer(1)) }
        await #expect(throws: DatabaseError.self) { try await database.rows("SELECT ?", .integer(1)) }
    }

    @Test func `A value of an unexpected type is reported as a mismatch`() async throws {
        let database = try await SQLiteDatabase.open(.memory, migrations: [])

        let error = await #expect(throws: DatabaseError.self) { try await database.rows("SELECT 1.5") }
        #expect(error?.code == .mismatch)
    }
}
