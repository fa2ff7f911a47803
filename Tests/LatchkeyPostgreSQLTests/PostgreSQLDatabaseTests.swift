import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServerCore
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `A database` {
    private let database: any Database

    init() async throws {
        database = try await TestDatabase.current.open()
    }

    @Test func `answers`() async throws {
        #expect(try await database.rows("SELECT COUNT(*) FROM identities")[0].integer(0) == 0)
    }
}
