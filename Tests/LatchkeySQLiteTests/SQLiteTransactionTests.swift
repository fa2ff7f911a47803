import LatchkeyModel
import LatchkeySQLite
import LatchkeyServerKit
import TestProcesses
import Testing

@Suite struct `SQLite transactions` {
    private let folder: TemporaryFolder
    private let database: SQLiteDatabase

    init() async throws {
        folder = TemporaryFolder()
        database = try await SQLiteDatabase.open(.file(folder.file()), migrations: [.notes])
    }

    @Test func `The transactions of 64 concurrent writers all succeed`() async throws {
        try await withThrowingTaskGroup { group in
            for writer in 0..<64 {
                group.addTask {
                    for round in 0..<10 {
                        let title = "\(writer)/\(round)"
                        try await database.addNote(title)
                        let found = try await database.rows(
                            "SELECT 1 FROM notes WHERE title = $1",
                            .text(title)
                        )
                        #expect(found.count == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.noteCount() == 640)
    }

    @Test func `A throwing transaction is rolled back while others in its group commit`() async throws {
        let outcomes = try await grouped(20) { number, transaction in
            try transaction.addNote("note \(number)")
            if number % 3 == 0 { throw Refusal() }
        }

        for (number, outcome) in outcomes.enumerated() {
            switch outcome {
            case .success: #expect(number % 3 != 0)
            case .failure(let error): #expect(error is Refusal && number % 3 == 0)
            }
        }
        let kept = try await database.rows("SELECT title FROM notes ORDER BY id").map { try $0.text(0) }
        #expect(Set(kept) == Set((0..<20).filter { $0 % 3 != 0 }.map { "note \($0)" }))
    }

    @Test func `A lone transaction whose body throws is rolled back`() async throws {
        await #expect(throws: Refusal.self) {
            try await database.transaction { transaction in
                try transaction.addNote("gone")
                throw Refusal()
            }
        }
        #expect(try await database.noteCount() == 0)
    }

    @Test func `A transaction only returns after the commit`() async throws {
        let other = try await SQLiteDatabase.open(.file(folder.file()), migrations: [.notes])
        let gate = Gate()
        async let first: Void = database.transaction { _ in gate.pass() }
        await gate.isReached()
        // If the first transaction in the group did not wait for the commit, it would return long before the
        // slow one.
        async let early: Int64 = {
            try await database.addNote("early")
            return try await other.noteCount()
        }()
        async let slow: Int64 = {
            try await database.transaction { transaction in
                try transaction.rows(
                    """
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500000)
                    SELECT max(n) FROM numbers
                    """
                )[0].integer(0)
            }
        }()
        gate.open()

        try await first
        #expect(try await early == 1)
        #expect(try await slow == 500_000)
        await other.close()
    }

    @Test func `The number of rows that a statement changed is returned`() async throws {
        let changes = try await database.transaction { transaction in
            try transaction.addNote("a")
            try transaction.addNote("b")
            return [
                try transaction.execute("UPDATE notes SET body = $1", .blob([1])),
                try transaction.execute(
                    "UPDATE notes SET body = $1 WHERE title = $2",
                    .blob([2]),
                    .text("a")
                ),
                try transaction.execute(
                    "UPDATE notes SET body = $1 WHERE title = $2",
                    .blob([2]),
                    .text("c")
                ),
                try transaction.execute(
                    "INSERT INTO notes (title) VALUES ($1) ON CONFLICT DO NOTHING",
                    .text("a")
                ),
                try transaction.rows("UPDATE notes SET body = NULL RETURNING id").count,
            ]
        }
        #expect(changes == [2, 1, 0, 0, 2])
    }

    @Test(arguments: [1, 20])
    func `The outcome of the last write is known, in a group or alone`(count: Int) async throws {
        try await database.addNote("a")
        #expect(!database.writes.isFailing)

        // SQLite never sets the limit below the current size.
        _ = try await database.transaction { try $0.rows("PRAGMA max_page_count = 1") }
        let outcomes = try await grouped(count) { number, transaction in
            try transaction.execute(
                "INSERT INTO notes (title, body) VALUES ($1, $2)",
                .text("\(number)"),
                .blob(Array(repeating: 0, count: 1 << 20))
            )
        }
        for outcome in outcomes { #expect(throws: DatabaseError.self) { try outcome.get() } }
        #expect(database.writes.isFailing)
        _ = try await database.transaction { try $0.rows("SELECT 1") }
        _ = try? await database.addNote("a")
        #expect(database.writes.isFailing, "A transaction that changes no rows is not a write.")

        _ = try await database.transaction { try $0.rows("PRAGMA max_page_count = 1073741823") }
        try await database.addNote("b")
        #expect(!database.writes.isFailing)
        _ = try? await database.addNote("b")
        #expect(!database.writes.isFailing, "A conflict is not a failure of the storage.")
    }

    @Test func `A database that accepts no writes is unavailable`() async throws {
        let error = await #expect(throws: DatabaseError.self) {
            try await database.transaction { transaction in
                _ = try transaction.rows("PRAGMA query_only = ON")
                try transaction.addNote("a")
            }
        }
        #expect(error?.code == .unavailable)
        #expect(database.writes.isFailing)
    }

    @Test func `A duplicate key is a conflict, and the message does not contain the value`() async throws {
        try await database.addNote("planted-value")

        let error = await #expect(throws: DatabaseError.self) { try await database.addNote("planted-value") }
        #expect(error?.code == .conflict)
        #expect(error?.description.contains("notes.title") == true)
        #expect(error?.description.contains("planted-value") == false)
    }

    /// SQLite rolls back the current transaction automatically if the disk is full.
    ///
    /// One transaction in the group executes `ROLLBACK` to simulate a full disk.
    @Test func `The whole group rolls back if the database rolls back one transaction`()
        async throws
    {
        let outcomes = try await grouped(5) { number, transaction in
            try transaction.addNote("note \(number)")
            if number == 2 {
                try transaction.execute("ROLLBACK")
                try? transaction.addNote("late")
            }
        }

        let kept = try await database.rows("SELECT title FROM notes").map { try $0.text(0) }
        let succeeded = outcomes.indices.filter { if case .success = outcomes[$0] { true } else { false } }
        #expect(Set(kept) == Set(succeeded.map { "note \($0)" }))
        #expect(!succeeded.contains(2) && succeeded.count < 4)
        try await database.addNote("next")
    }

    @Test func `A full queue rejects new transactions but completes those in the queue`() async throws {
        let small = try await SQLiteDatabase.open(
            .file(folder.file()),
            options: SQLiteOptions(queue: 2),
            migrations: [.notes]
        )
        let gate = Gate()
        async let first: Void = small.transaction { _ in gate.pass() }
        await gate.isReached()
        let outcomes = await withTaskGroup { group in
            for number in 0..<10 {
                group.addTask { await Result { () async throws in try await small.addNote("\(number)") } }
            }
            var outcomes: [Result<Void, any Error>] = []
            for await outcome in group {
                outcomes.append(outcome)
                // The eight rejections come first because all other transactions wait while the gate is
                // closed.
                if outcomes.count == 8 { gate.open() }
            }
            return outcomes
        }
        try await first
        let refused: [DatabaseError.Code] = outcomes.compactMap {
            if case .failure(let error as DatabaseError) = $0 { error.code } else { nil }
        }
        #expect(refused == Array(repeating: .overloaded, count: 8))
        #expect(try await small.noteCount() == 2)
        await small.close()
    }

    @Test func `Every commit is synced to disk`() async throws {
        let settings = try await database.transaction { transaction in
            (
                try transaction.rows("PRAGMA journal_mode")[0].text(0),
                try transaction.rows("PRAGMA synchronous")[0].integer(0),
                try transaction.rows("PRAGMA foreign_keys")[0].integer(0),
                try transaction.rows("PRAGMA secure_delete")[0].integer(0)
            )
        }
        #expect(settings == ("wal", 2, 1, 1))
    }

    /// Runs transactions concurrently so that at most two commits are needed.
    private func grouped(
        _ count: Int,
        body: @escaping @Sendable (Int, borrowing Transaction) throws -> Void
    ) async throws -> [Result<Void, any Error>] {
        let gate = Gate()
        let database = database
        async let first: Void = database.transaction { _ in gate.pass() }
        await gate.isReached()
        let outcomes = await withTaskGroup { group in
            let waiting = Locked(count)
            for number in 0..<count {
                group.addTask {
                    waiting.withLock { waiting in
                        waiting -= 1
                        if waiting == 0 { gate.open() }
                    }
                    return (
                        number,
                        await Result { () async throws in
                            try await database.transaction { try body(number, $0) }
                        }
                    )
                }
            }
            return await group.reduce(into: [Int: Result<Void, any Error>]()) { $0[$1.0] = $1.1 }
        }
        try await first
        return outcomes.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
