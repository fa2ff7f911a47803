import LatchkeyModel
import LatchkeyServerKit
import TestDatabases
import Testing

/// Tests the behavior that all database adapters must have in common.
///
/// Each test runs with every kind of database.
@Suite(.onEachDatabase) struct `Database adapters` {
    private let database: any Database

    init() async throws {
        database = try await TestDatabase.current.open()
    }

    @Test(
        arguments: [
            ([], 0, "", nil),
            ([0, 255, 1], .max, "Zoë \u{1F511} 'quoted' \\ $1", ""),
            ([UInt8](repeating: 128, count: 70_000), .min, "x", "y"),
            ([1], -1, "a", "b"),
        ] as [([UInt8], Int64, String, String?)]
    )
    func `Values are returned as they were stored`(
        blob: [UInt8],
        number: Int64,
        text: String,
        optional: String?
    ) async throws {
        try await database.transaction { transaction in
            try transaction.execute(
                "INSERT INTO limits (bucket, stamps, expires_at) VALUES ($1, $2, $3)",
                .blob([1]),
                .blob(blob),
                .integer(number)
            )
            try transaction.execute(
                """
                INSERT INTO audit (happened_at, id, identity_id, actor, action, subject) \
                VALUES (1, $1, $1, $2, 'd', $3)
                """,
                .blob([1]),
                .text(text),
                .optional(optional)
            )
        }

        let row = try await database.rows(
            "SELECT l.stamps, l.expires_at, a.actor, a.subject, a.address FROM limits l, audit a"
        )[0]
        #expect(try row.blob(0) == blob)
        #expect(try row.integer(1) == number)
        #expect(try row.text(2) == text)
        #expect(try row.optional(3, as: Row.text) == optional)
        #expect(row.isNull(4))
    }

    @Test func `Actions run in order after the commit and before the caller continues`() async throws {
        let ran = Locked<[Int]>([])
        try await database.transaction { transaction in
            transaction.afterCommit { ran.withLock { $0.append(1) } }
            try transaction.execute("INSERT INTO limits VALUES ($1, $1, 1)", .blob([1]))
            transaction.afterCommit { ran.withLock { $0.append(2) } }
            #expect(ran.withLock { $0 }.isEmpty)
        }
        #expect(ran.withLock { $0 } == [1, 2])
    }

    @Test func `If a transaction is rolled back, its after-commit actions don't run`() async throws {
        let ran = Locked(0)
        await #expect(throws: CancellationError.self) {
            try await database.transaction { transaction in
                transaction.afterCommit { ran.withLock { $0 += 1 } }
                throw CancellationError()
            }
        }
        await #expect(throws: DatabaseError.self) {
            try await database.transaction { transaction in
                transaction.afterCommit { ran.withLock { $0 += 1 } }
                try transaction.execute("INSERT INTO limits VALUES ($1, $1, 1)", .blob([1]))
                try transaction.execute("INSERT INTO limits VALUES ($1, $1, 1)", .blob([1]))
            }
        }
        #expect(ran.withLock { $0 } == 0)
    }

    @Test func `Only the actions registered in a transaction's last attempt are run`() async throws {
        _ = try await database.transaction { transaction in
            try transaction.execute("INSERT INTO limits VALUES ($1, $1, 0)", .blob([1]))
        }
        let (runs, actions) = (Locked(0), Locked(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [database] in
                    try await database.transaction { transaction in
                        runs.withLock { $0 += 1 }
                        transaction.afterCommit { actions.withLock { $0 += 1 } }
                        let count = try transaction.rows("SELECT expires_at FROM limits")[0].integer(0)
                        try transaction.execute("UPDATE limits SET expires_at = $1", .integer(count + 1))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.rows("SELECT expires_at FROM limits")[0].integer(0) == 8)
        #expect(runs.withLock { $0 } >= 8)
        #expect(actions.withLock { $0 } == 8)
    }

    @Test func `The number of rows that a statement changed is returned`() async throws {
        let counts = try await database.transaction { transaction in
            [
                try transaction.execute(
                    "INSERT INTO limits VALUES ($1, $1, 1), ($2, $2, 2)",
                    .blob([1]),
                    .blob([2])
                ),
                try transaction.execute(
                    "INSERT INTO limits VALUES ($1, $1, 9), ($2, $2, 9) ON CONFLICT DO NOTHING",
                    .blob([1]),
                    .blob([3])
                ),
                try transaction.execute("UPDATE limits SET expires_at = 3 WHERE expires_at > 1"),
                try transaction.execute("UPDATE limits SET expires_at = 3 WHERE expires_at > 10"),
                try transaction.execute(
                    "UPDATE limits SET expires_at = 4 WHERE expires_at = 1 RETURNING bucket"
                ),
                try transaction.execute("SELECT 1 FROM limits"),
                try transaction.execute("DELETE FROM limits"),
            ]
        }
        #expect(counts == [2, 1, 2, 0, 1, 0, 3])
    }

    @Test func `Writes outside transactions are rejected`() async throws {
        try await database.addCounter("a")

        let error = await #expect(throws: DatabaseError.self) {
            try await database.rows("DELETE FROM limits RETURNING expires_at")
        }
        #expect(error?.code == .failed)
        #expect(try await database.counter("a") == 0)
    }

    @Test func `An error in the body rolls back the transaction`() async throws {
        await #expect(throws: Refusal.self) {
            try await database.transaction { transaction in
                try transaction.addCounter("a")
                throw Refusal()
            }
        }
        #expect(try await database.counter("a") == nil)
    }

    @Test func `A unique violation is reported without the value`() async throws {
        let take: @Sendable (borrowing Transaction) throws -> Void = { transaction in
            try transaction.execute(
                "INSERT INTO server_keys (kind, fingerprints, updated_at) VALUES ($1, $2, 0)",
                .text("hush-hush"),
                .blob([])
            )
        }
        try await database.transaction(take)

        let error = await #expect(throws: DatabaseError.self) {
            try await database.transaction { transaction in
                try transaction.addCounter("other")
                try take(transaction)
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("server_keys") == true)
        #expect(error?.message.contains("hush") == false)
        #expect(try await database.counter("other") == nil)
    }

    @Test func `The error for an invalid statement shows the position of the mistake`() async throws {
        let read = await #expect(throws: DatabaseError.self) {
            try await database.rows("SELECT nothing FROM limits")
        }
        let write = await #expect(throws: DatabaseError.self) {
            try await database.transaction { try $0.execute("UPDATE nothing SET a = 1") }
        }
        for error in [read, write] {
            #expect(error?.code == .failed)
            #expect(error?.message.contains("nothing") == true)
        }
    }

    @Test func `Only one of forty concurrent conditional updates succeeds`() async throws {
        try await database.addCounter("a")

        let winners = try await withThrowingTaskGroup { [database] group in
            for _ in 0..<40 {
                group.addTask {
                    try await database.transaction { try $0.increase("a", ifIs: 0) ? 1 : 0 }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(winners == 1)
        #expect(try await database.counter("a") == 1)
    }

    @Test func `Sixty-four writers of one row cause no errors or lost updates`() async throws {
        try await database.addCounter("a")

        try await withThrowingTaskGroup { [database] group in
            for writer in 0..<64 {
                group.addTask {
                    for round in 0..<5 {
                        try await database.transaction { transaction in
                            try transaction.addCounter("\(writer) \(round)")
                            try transaction.increase("a")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.counter("a") == 320)
        #expect(try await database.rows("SELECT COUNT(*) FROM limits")[0].integer(0) == 321)
    }

    @Test func `A closed database rejects reads and writes`() async throws {
        await database.close()

        let read = await #expect(throws: DatabaseError.self) { try await database.rows("SELECT 1") }
        let write = await #expect(throws: DatabaseError.self) { try await database.addCounter("a") }
        #expect(read?.code == .unavailable)
        #expect(write?.code == .unavailable)
    }
}
