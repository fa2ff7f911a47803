import Foundation
import LatchkeyWire
import TestProcesses
import Testing

/// Kills the PostgreSQL server that a running identity server is connected to.
@Suite(.serialized, .timeLimit(.minutes(crashMinutes))) struct `PostgreSQL recovery after a crash` {
    /// The number of rounds.
    ///
    /// `scripts/check --deep` runs 50 rounds.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 3 : 50

    @Test func `The server reconnects after a database crash, and no acknowledged change is lost`()
        async throws
    {
        let folder = TemporaryFolder()
        var cluster = try await PostgresCluster()
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        var users = SimulatedUsers()
        var recoveries: [Duration] = []
        var round = 0

        while round < Self.rounds {
            let sink = try await MessageSink.http()
            let collecting = users.collect(from: sink)
            let server = try await ServerProcess(
                data: folder.path + "/data",
                flags: SimulatedUsers.flags(sink) + ["--database", cluster.url()]
            )
            let client = try FlowClient(server)
            let last = min(round + 10, Self.rounds)
            while round < last {
                let signal = [SIGKILL, SIGQUIT].randomElement(using: &dice) ?? SIGKILL
                let victim = cluster
                await users.run(at: client, for: Int.random(in: 10...150, using: &dice)) {
                    await victim.stop(signal)
                }
                let began = ContinuousClock.now
                cluster = try await cluster.started()
                // Retry until the first successful response. There is no delay between attempts, because the
                // database driver already waits for a connection.
                while await client.administer(.get, "", query: "page_size=1") == nil,
                    began.duration(to: .now) < .seconds(30)
                {}
                recoveries.append(began.duration(to: .now))
                // Each broken connection in the pool can cause a request to fail, so we allow more retries.
                let patient = try FlowClient(server, tries: 20)
                try await users.check(at: patient, sink)
                round += 1
                try #require(users.violations.isEmpty, "seed \(seed), round \(round): \(users.violations)")
            }
            await server.stop()
            collecting.cancel()
        }
        #expect(recoveries.allSatisfy { $0 < .seconds(20) })
        print(
            "PostgreSQL killed \(round) times: \(recoveries.summary) from its start to the first response; \(users.done)"
        )
        await cluster.stop()
        cluster.remove()
    }
}
