import Glibc
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServer
import LatchkeyServerKit
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(5))) struct `PostgreSQL primary with a standby` {
    @Test func `The primary is used regardless of its position until the standby is promoted`()
        async throws
    {
        let primary = try await PostgresCluster()
        let standby = try await PostgresCluster(following: primary)
        let database = try await PostgreSQLDatabase.open(
            PostgreSQLLocation(Secret(PostgresCluster.url(of: [standby, primary]))),
            options: PostgreSQLOptions(readers: 2, writers: 2, waitTimeout: .seconds(30)),
            migrations: .all
        )
        let isStandby: SQL = "SELECT pg_is_in_recovery()::int::bigint"
        #expect(try await database.rows(isStandby).first?.integer(0) == 0)
        try await database.addCounter("a")

        // An orderly shutdown replicates all acknowledged changes.
        await primary.stop(SIGINT)
        async let written: Void = database.transaction { _ = try $0.increase("a") }
        try await standby.promote()
        try await written
        #expect(try await database.counter("a") == 1)
        await database.close()
        await standby.stop()
        for cluster in [primary, standby] { cluster.remove() }
    }

    @Test func `A read-only standby is not used in place of the primary`() async throws {
        let primary = try await PostgresCluster()
        let standby = try await PostgresCluster(following: primary)
        let error = await error {
            _ = try await PostgreSQLDatabase.open(
                PostgreSQLLocation(Secret(standby.url())),
                options: PostgreSQLOptions(waitTimeout: .milliseconds(100)),
                migrations: .all
            )
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("standby") == true, "\(error?.message ?? "")")
        for cluster in [standby, primary] {
            await cluster.stop()
            cluster.remove()
        }
    }
}
