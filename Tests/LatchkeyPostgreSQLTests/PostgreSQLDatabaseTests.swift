import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServerKit
import TestDatabases
import Testing

@Suite(.timeLimit(.minutes(10))) struct `PostgreSQL database` {
    @Test func `A waiting statement sees the committed result of the other transaction`() async throws {
        try await withPostgreSQL { lent async throws in
            let (database, gate) = (lent.database, Gate())
            try await database.addCounter("door")
            try await database.addCounter("key")
            // Sets the flag and writes the row that causes the conflict between the transactions.
            async let closed: Void = database.transaction { transaction in
                try transaction.increase("door")
                try transaction.increase("key")
                gate.pass()
            }
            await gate.reached()
            // The update waits for the row with the key. After the wait, the condition must be evaluated with
            // the new value of the flag.
            async let entered = database.transaction { transaction in
                try transaction.execute(
                    """
                    UPDATE limits SET stamps = $1 WHERE bucket = $2 \
                    AND EXISTS (SELECT 1 FROM limits d WHERE d.bucket = $3 AND d.expires_at = 0)
                    """,
                    .blob([1]),
                    .blob(Array("key".utf8)),
                    .blob(Array("door".utf8))
                ) == 1
            }
            try await lent.statementWaits()
            gate.open()
            try await closed
            #expect(try await entered == false)
        }
    }

    @Test func `A transaction with conflicts is retried up to the limit`() async throws {
        for attempts in [1, 2] {
            try await withPostgreSQL(.patient(attempts: attempts)) { lent async throws in
                let (database, gate, tries) = (lent.database, Gate(), Locked(0))
                try await database.addCounter("a")
                async let first: Void = database.transaction { transaction in
                    try transaction.increase("a")
                    gate.pass()
                }
                await gate.reached()
                async let second = error {
                    try await database.transaction { transaction in
                        tries.withLock { $0 += 1 }
                        _ = try transaction.increase("a")
                    }
                }
                try await lent.statementWaits()
                gate.open()
                try await first

                #expect(await second?.code == (attempts == 1 ? .overloaded : nil))
                #expect(tries.withLock { $0 } == attempts)
                #expect(try await database.counter("a") == Int64(attempts))
                #expect(database.usage.retries == attempts - 1)
                #expect(database.usage.readers > 0)
                #expect(database.usage.writers > 1)
            }
        }
    }

    @Test func `One of two deadlocked transactions is retried`() async throws {
        try await withPostgreSQL { lent async throws in
            let (database, gate) = (lent.database, Gate())
            try await database.addCounter("a")
            try await database.addCounter("b")
            async let first: Void = database.transaction { transaction in
                try transaction.increase("a")
                gate.pass()
                try transaction.increase("b")
            }
            await gate.reached()
            async let second: Void = database.transaction { transaction in
                try transaction.increase("b")
                try transaction.increase("a")
            }
            try await lent.statementWaits()
            gate.open()
            // PostgreSQL aborts the transaction that detects the deadlock first.
            try await first
            try await second
            #expect(try await database.counter("a") == 2)
            #expect(try await database.counter("b") == 2)
            #expect(database.usage.retries >= 1)
        }
    }

    @Test func `A transaction with a failed statement fails even if the body ignores the error`()
        async throws
    {
        try await withPostgreSQL { lent async throws in
            let error = await #expect(throws: DatabaseError.self) {
                try await lent.database.transaction { transaction in
                    try transaction.addCounter("a")
                    _ = try? transaction.addCounter("a")
                }
            }
            #expect(error?.code == .conflict)
            #expect(try await lent.database.counter("a") == nil)
        }
    }

    @Test func `Reads that share a connection each get their own error`() async throws {
        try await withPostgreSQL(.patient(readers: 1)) { lent async throws in
            let database = lent.database
            await withTaskGroup { group in
                for number in 0..<90 {
                    group.addTask {
                        do {
                            let rows =
                                number % 3 == 0
                                ? try await database.rows("SELECT 1 / 0")
                                : try await database.rows(
                                    "SELECT CAST($1 AS BIGINT)",
                                    .integer(Int64(number))
                                )
                            #expect(number % 3 != 0)
                            #expect(try rows[0].integer(0) == number)
                        } catch {
                            #expect(number % 3 == 0, "\(error)")
                        }
                    }
                }
            }
        }
    }

    @Test func `A string with a NUL is rejected without affecting others`() async throws {
        try await withPostgreSQL { lent async throws in
            let database = lent.database
            let read = await #expect(throws: DatabaseError.self) {
                try await database.rows("SELECT 1 FROM identifiers WHERE identifier = $1", .text("a\0b"))
            }
            let write = await #expect(throws: DatabaseError.self) {
                try await database.transaction {
                    try $0.execute("DELETE FROM identifiers WHERE identifier = $1", .text("a\0b"))
                }
            }
            for error in [read, write] {
                #expect(error?.code == .failed)
                #expect(error?.message.contains("NUL") == true)
            }
            #expect(try await database.rows("SELECT 1").count == 1)
        }
    }

    @Test func `A statement that exceeds the time limit is cancelled`() async throws {
        let options = PostgreSQLOptions(readers: 1, writers: 1, statementTimeout: .milliseconds(100))
        try await withPostgreSQL(options) { lent async throws in
            let database = lent.database
            let read = await #expect(throws: DatabaseError.self) {
                try await database.rows("SELECT 1 FROM pg_sleep(60)")
            }
            let write = await #expect(throws: DatabaseError.self) {
                try await database.transaction { transaction in
                    try transaction.addCounter("a")
                    _ = try transaction.rows("SELECT 1 FROM pg_sleep(60)")
                }
            }
            #expect(read?.code == .unavailable)
            #expect(write?.code == .unavailable)
            #expect(try await database.counter("a") == nil)
            try await database.addCounter("a")
        }
    }

    @Test func `Transactions are rejected if the queue is full or the wait is too long`() async throws {
        let options = PostgreSQLOptions(writers: 1, queue: 2, waitTimeout: .milliseconds(50))
        try await withPostgreSQL(options) { lent async throws in
            let (database, gate) = (lent.database, Gate())
            async let first: Void = database.transaction { transaction in
                gate.pass()
                _ = try transaction.rows("SELECT 1 FROM pg_sleep(0.1)")
            }
            await gate.reached()
            let codes = await withTaskGroup { group in
                for number in 0..<3 {
                    group.addTask {
                        await error { try await database.addCounter("\(number)") }?.code
                    }
                }
                // One transaction is rejected because the queue is full. At this point, the others are
                // waiting.
                var codes = [await group.next() ?? nil]
                gate.open()
                for await code in group { codes.append(code) }
                return codes
            }
            try await first
            #expect(codes == [.overloaded, .overloaded, .overloaded])
            try await database.addCounter("later")
        }
    }

    @Test func `Reads are rejected if the queue is full`() async throws {
        let options = PostgreSQLOptions(readers: 1, depth: 1, queue: 2)
        try await withPostgreSQL(options) { lent async throws in
            let database = lent.database
            let codes = await withTaskGroup { group in
                for _ in 0..<12 {
                    group.addTask { () -> DatabaseError.Code? in
                        do throws(DatabaseError) {
                            _ = try await database.rows("SELECT 1 FROM pg_sleep(0.02)")
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.contains(.overloaded))
            #expect(Set(codes).isSubset(of: [nil, .overloaded]))
            #expect(try await database.rows("SELECT 1").count == 1)
        }
    }
}
