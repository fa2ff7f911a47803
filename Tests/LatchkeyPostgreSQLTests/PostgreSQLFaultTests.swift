import Foundation
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServer
import LatchkeyServerKit
import TestDatabases
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Broken PostgreSQL connections` {
    @Test func `A broken connection is replaced transparently`() async throws {
        try await withPostgreSQL(.patient(readers: 1, writers: 1)) { lent async throws in
            try await lent.database.addCounter("a")
            for round in 1...3 {
                try await lent.breakConnections()
                #expect(try await lent.database.counter("a") == Int64(round - 1))
                try await lent.breakConnections()
                try await lent.database.transaction { _ = try $0.increase("a") }
                #expect(try await lent.database.counter("a") == Int64(round))
            }
        }
    }

    @Test func `The pending reads of a broken connection are repeated`() async throws {
        try await withPostgreSQL(.patient(readers: 1)) { lent async throws in
            let (database, gate) = (lent.database, Gate())
            async let held: Void = database.transaction { transaction in
                _ = try transaction.rows("SELECT 1 FROM pg_advisory_xact_lock(1)")
                gate.pass()
            }
            await gate.reached()
            async let rows = withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await database.rows("SELECT 1 FROM pg_advisory_xact_lock_shared(1)").count
                    }
                }
                return try await group.reduce(0, +)
            }
            try await lent.statementWaits()
            try await lent.breakConnections()
            gate.open()
            // The connection broke during the commit. Another test checks the outcome.
            _ = try? await held
            #expect(try await rows == 8)
        }
    }

    @Test func `A read that breaks its connection fails after three attempts`() async throws {
        try await withPostgreSQL(.patient(readers: 1)) { lent async throws in
            let database = lent.database
            // PostgreSQL counts the connections that were terminated.
            let killed: SQL =
                "SELECT sessions_killed FROM pg_stat_database WHERE datname = current_database()"
            let before = try await database.rows(killed)[0].integer(0)
            let error = await #expect(throws: DatabaseError.self) {
                try await database.rows("SELECT 1 WHERE pg_terminate_backend(pg_backend_pid(), 5000)")
            }
            #expect(error?.code == .unavailable)
            // Reads that don't break the connection still succeed. PostgreSQL counts a connection when it is
            // closed, so we wait until all three have been counted.
            var count: Int64 = 0
            try await wait(until: "three connections have gone") {
                count = try await database.rows(killed)[0].integer(0) - before
                return count >= 3
            }
            #expect(count == 3)
        }
    }

    @Test func `A transaction is repeated once if its connection breaks`() async throws {
        try await withPostgreSQL { lent async throws in
            let (database, gate, tries) = (lent.database, Gate(), Locked(0))
            try await database.addCounter("a")
            async let done: Void = database.transaction { transaction in
                tries.withLock { $0 += 1 }
                try transaction.increase("a")
                gate.pass()
                try transaction.addCounter("b")
            }
            await gate.reached()
            try await lent.breakConnections()
            gate.open()
            try await done
            #expect(tries.withLock { $0 } == 2)
            #expect(try await database.counter("a") == 1)
            #expect(try await database.counter("b") == 0)
        }
    }

    @Test func `A transaction is not repeated if its connection breaks during the commit`() async throws {
        try await withPostgreSQL { lent async throws in
            let (database, gate, tries) = (lent.database, Gate(), Locked(0))
            async let done: Void = database.transaction { transaction in
                tries.withLock { $0 += 1 }
                try transaction.addCounter("a")
                gate.pass()
            }
            await gate.reached()
            try await lent.breakConnections()
            gate.open()
            do {
                try await done
                Issue.record("The transaction was acknowledged.")
            } catch let error as DatabaseError {
                #expect(error.code == .unavailable)
                #expect(error.message.contains("outcome of the transaction is unknown"))
            }
            #expect(database.writes.isFailing)
            #expect(tries.withLock { $0 } == 1)
            #expect(try await database.counter("a") == nil)
        }
    }

    @Test func `A write that reaches a read-only server is repeated on another connection`() async throws {
        try await withPostgreSQL(.patient(writers: 1, attempts: 3)) { lent async throws in
            let (database, tries, readOnlyTries) = (lent.database, Locked(0), Locked(1))
            let write: @Sendable (borrowing Transaction) throws -> Void = { transaction in
                let number = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                if number <= readOnlyTries.withLock({ $0 }) {
                    _ = try transaction.rows("SET TRANSACTION READ ONLY")
                }
                try transaction.addCounter("\(number)")
            }
            try await database.transaction(write)
            #expect(tries.withLock { $0 } == 2)
            #expect(try await database.counter("2") == 0)
            #expect(!database.writes.isFailing)

            readOnlyTries.withLock { $0 = 5 }
            let error = await #expect(throws: DatabaseError.self) { try await database.transaction(write) }
            #expect(error?.code == .unavailable)
            #expect(tries.withLock { $0 } == 5)
            #expect(database.writes.isFailing)
        }
    }

    @Test(
        arguments: [
            "DO $$BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END$$",
            "DO $$BEGIN RAISE EXCEPTION USING ERRCODE = '58030'; END$$",
        ] as [SQL]
    )
    func `Writes fail while the disk is full or broken`(failure: SQL) async throws {
        try await withPostgreSQL { lent async throws in
            let database = lent.database
            let error = await #expect(throws: DatabaseError.self) {
                try await database.transaction { transaction in
                    try transaction.addCounter("a")
                    try transaction.execute(failure)
                }
            }
            #expect(error?.code == .unavailable)
            #expect(database.writes.isFailing)
            await #expect(throws: Refusal.self) {
                try await database.transaction { transaction in
                    do { try transaction.execute(failure) } catch { throw Refusal() }
                }
            }
            _ = try await database.transaction { try $0.rows("SELECT bucket FROM limits") }
            #expect(database.writes.isFailing)

            try await database.addCounter("a")
            #expect(!database.writes.isFailing)
            // A conflict is not a failure of the storage.
            _ = try? await database.addCounter("a")
            #expect(!database.writes.isFailing)
        }
    }

    @Test func `A transaction on a broken connection is repeated even if its body throws another error`()
        async throws
    {
        try await withPostgreSQL { lent async throws in
            let (database, gate) = (lent.database, Gate())
            async let done: Void = database.transaction { transaction in
                try transaction.addCounter("a")
                gate.pass()
                do throws(DatabaseError) {
                    try transaction.increase("a")
                } catch {
                    throw Refusal()
                }
            }
            await gate.reached()
            try await lent.breakConnections()
            gate.open()
            try await done
            #expect(try await database.counter("a") == 1)
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct `PostgreSQL server outages` {
    private func database(_ cluster: PostgresCluster, waitTimeout: Duration) async throws
        -> PostgreSQLDatabase
    {
        try await PostgreSQLDatabase.open(
            PostgreSQLLocation(Secret(cluster.url())),
            options: PostgreSQLOptions(readers: 2, writers: 2, waitTimeout: waitTimeout),
            migrations: .all
        )
    }

    @Test(arguments: [SIGQUIT, SIGINT, SIGKILL])
    func `Calls that are made during a short outage wait until it ends`(signal: Int32) async throws {
        let cluster = try await PostgresCluster()
        let database = try await database(cluster, waitTimeout: .seconds(30))
        try await database.addCounter("a")

        await cluster.stop(signal)
        async let read = database.counter("a")
        async let written: Void = database.transaction { _ = try $0.increase("a") }
        let again = try await cluster.started()

        #expect([0, 1].contains(try await read))
        try await written
        #expect(try await database.counter("a") == 1)
        await database.close()
        await again.stop()
        again.remove()
    }

    @Test func `Callers are rejected during a long outage and served afterwards`() async throws {
        let cluster = try await PostgresCluster()
        let database = try await database(cluster, waitTimeout: .milliseconds(100))
        try await database.addCounter("a")

        await cluster.stop()
        for _ in 0..<3 {
            let read = await #expect(throws: DatabaseError.self) { try await database.counter("a") }
            let write = await #expect(throws: DatabaseError.self) {
                try await database.transaction { _ = try $0.increase("a") }
            }
            #expect(read?.code == .unavailable)
            #expect(write?.code == .unavailable)
        }
        let again = try await cluster.started()

        // Waiting callers reconnect after the back-off.
        await wait(until: "reads are served") { await (try? database.counter("a")) != nil }
        await wait(until: "transactions are served") {
            await (try? database.transaction({ _ = try $0.increase("a") })) != nil
        }
        #expect(try await database.counter("a") == 1)
        await database.close()
        await again.stop()
        again.remove()
    }

    @Test func `An invalid configuration fails immediately without revealing the password`() async throws {
        let location = try PostgreSQLLocation(
            Secret("postgres://somebody:hush-hush@127.0.0.1:1/people?connect_timeout=2")
        )
        let error = await #expect(throws: DatabaseError.self) {
            try await PostgreSQLDatabase.open(location, migrations: .all)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("127.0.0.1") == true)
        #expect(error?.message.contains("hush-hush") == false)
        #expect("\(location)".contains("hush-hush") == false)
        // The password must not appear even if a message from the library contains it.
        #expect(location.redacting("no \"hush-hush\"\n at hush-hush") == "no \"***\"  at ***")
    }

    @Test func `Calls fail if the server does not respond in time`() async throws {
        let cluster = try await PostgresCluster()
        let database = try await PostgreSQLDatabase.open(
            PostgreSQLLocation(Secret(cluster.url())),
            options: PostgreSQLOptions(
                readers: 1,
                writers: 1,
                statementTimeout: .milliseconds(200),
                grace: .milliseconds(100),
                waitTimeout: .milliseconds(300)
            ),
            migrations: .all
        )
        try await database.addCounter("a")
        #expect(try await database.counter("a") == 0)

        try await cluster.freeze(true)
        let read = await #expect(throws: DatabaseError.self) { try await database.counter("a") }
        let write = await #expect(throws: DatabaseError.self) {
            try await database.transaction { _ = try $0.increase("a") }
        }
        #expect(read?.code == .unavailable)
        #expect(write?.code == .unavailable)

        try await cluster.freeze(false)
        await wait(until: "reads are served") { await (try? database.counter("a")) != nil }
        await database.close()
        await cluster.stop()
        cluster.remove()
    }
}
