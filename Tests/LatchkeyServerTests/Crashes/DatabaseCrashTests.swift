import Foundation
import LatchkeyModel
import LatchkeyPostgreSQL
import TestProcesses
import Testing

/// PostgreSQL ended without warning, under a server that goes on.
@Suite(.serialized) struct `A PostgreSQL server that is killed under load` {
    /// 50 with `scripts/check --deep`.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 3 : 50

    @Test func `has kept every registration that was acknowledged, and the server recovers by itself`()
        async throws
    {
        let folder = TemporaryFolder()
        var cluster = try await PostgresCluster()
        let server = try await ServerProcess(
            data: folder.path + "/data",
            flags: [
                "--database", cluster.url(), "--identities-default-schema", "person", "--log-level", "error",
                "--limits-failures-per-address", "100000/1h",
            ]
        )
        let client = try PersonClient(server.url)
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        var longest = Duration.zero

        for round in 0..<Self.rounds {
            let place = "seed \(seed), round \(round)"
            let people = (round * 64)..<(round * 64 + 64)
            let fuse = Fuse(length: Int.random(in: 1...40, using: &dice))
            let signal = [SIGKILL, SIGQUIT].randomElement(using: &dice) ?? SIGKILL
            let victim = cluster
            let acknowledged = try await Crowd.register(people, at: server.url, burning: fuse) {
                await victim.stop(signal)
            }
            await cluster.stop(signal)
            let began = ContinuousClock.now
            cluster = try await cluster.started()

            // The first answer that is no refusal; every try waits as the driver does.
            while await !client.register(round + 1_000_000), began.duration(to: .now) < .seconds(30) {}
            longest = max(longest, began.duration(to: .now))
            for person in people {
                let isIn = await client.logIn(person)
                if acknowledged.contains(person) { #expect(isIn, "\(place): \(person) was acknowledged") }
                if isIn {
                    #expect(
                        await client.logIn(person, with: PersonClient.phone),
                        "\(place): half of \(person)"
                    )
                } else {
                    #expect(await client.register(person), "\(place): \(person) can begin anew")
                }
            }
        }
        #expect(longest < .seconds(20))
        print("PostgreSQL killed \(Self.rounds) times: at most \(longest) from its start to a registration")
        await server.stop()
        await cluster.stop()
        cluster.remove()
    }
}
