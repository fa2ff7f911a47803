import Foundation
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServerCore
import TestDatabases
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A PostgreSQL connection that breaks` {
    @Test func `is replaced, and nobody notices`() async throws {
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

    @Test func `under reads has them done again`() async throws {
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
            // It broke at its commit; what became of it is another test's.
            _ = try? await held
            #expect(try await rows == 8)
        }
    }

    @Test func `by a read that breaks every connection is replaced twice, and no more`() async throws {
        try await withPostgreSQL(.patient(readers: 1)) { lent async throws in
            let database = lent.database
            // PostgreSQL counts the connections that were ended by force.
            let killed: StaticString =
                "SELECT sessions_killed FROM pg_stat_database WHERE datname = current_database()"
            let before = try await database.rows(killed)[0].integer(0)
            let error = await #expect(throws: DatabaseError.self) {
                try await database.rows("SELECT 1 WHERE pg_terminate_backend(pg_backend_pid(), 5000)")
            }
            #expect(error?.code == .unavailable)
            // Others are served again, and see the count as soon as the last connection has gone.
            var count: Int64 = 0
            try await wait(until: "three connections have gone") {
                count = try await database.rows(killed)[0].integer(0) - before
                return count >= 3
            }
            #expect(count == 3)
        }
    }

    @Test func `in the middle of a transaction has it done again, once`() async throws {
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

    @Test func `at the commit leaves the transaction's fate open, and it is not done again`() async throws {
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
                Issue.record("acknowledged")
            } catch let error as DatabaseError {
                #expect(error.code == .unavailable)
                #expect(error.message.contains("outcome of the transaction is unknown"))
            }
            #expect(tries.withLock { $0 } == 1)
            #expect(try await database.counter("a") == nil)
        }
    }

    @Test func `under a body that throws something else has the transaction done again`() async throws {
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

@Suite(.timeLimit(.minutes(10))) struct `A PostgreSQL server that is gone` {
    private func database(_ cluster: PostgresCluster, waitTimeout: Duration) async throws
        -> PostgreSQLDatabase
    {
        try await PostgreSQLDatabase.open(
            PostgreSQLLocation(Secret(cluster.url())),
            options: PostgreSQLOptions(readers: 2, writers: 2, waitTimeout: waitTimeout)
        )
    }

    @Test(arguments: [SIGQUIT, SIGINT, SIGKILL])
    func `for a moment makes callers wait`(signal: Int32) async throws {
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

    @Test func `for longer refuses them, and serves them when it is back`() async throws {
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

        // Whoever backs off comes back by himself.
        await wait(until: "reads are served") { await (try? database.counter("a")) != nil }
        await wait(until: "transactions are served") {
            await (try? database.transaction({ _ = try $0.increase("a") })) != nil
        }
        #expect(try await database.counter("a") == 1)
        await database.close()
        await again.stop()
        again.remove()
    }

    @Test func `or refuses to start is told at once, without the password`() async throws {
        let location = try PostgreSQLLocation(
            Secret("postgres://somebody:hush-hush@127.0.0.1:1/people?connect_timeout=2")
        )
        let error = await #expect(throws: DatabaseError.self) { try await PostgreSQLDatabase.open(location) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("127.0.0.1") == true)
        #expect(error?.message.contains("hush-hush") == false)
        #expect("\(location)".contains("hush-hush") == false)
        // Also when a message of the library's quotes it.
        #expect(location.redacting("no \"hush-hush\"\n at hush-hush") == "no \"***\"  at ***")
    }

    @Test func `silent is given up`() async throws {
        let cluster = try await PostgresCluster()
        let database = try await PostgreSQLDatabase.open(
            PostgreSQLLocation(Secret(cluster.url())),
            options: PostgreSQLOptions(
                readers: 1,
                writers: 1,
                statementTimeout: .milliseconds(200),
                grace: .milliseconds(100),
                waitTimeout: .milliseconds(300)
            )
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
