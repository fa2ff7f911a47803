import Foundation
import TestProcesses
import Testing

@Suite(.serialized) struct `Processes killed during a refresh` {
    /// The points at which a process is killed.
    ///
    /// The app is killed at a specific step. The server is killed at a random time.
    private static let ends = ["beforeSend", "afterCommit", "beforeWrite", "afterWrite", "server"]

    /// How many times the test is repeated for each of the steps in `ends`.
    ///
    /// With `scripts/check --deep`, there are 1,000 repetitions in total.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 4 : 200

    @Test func `The session survives if a process is killed at any step of a refresh`() async throws {
        try await SharedServer.with { (first) async throws in
            var shared = first
            let seed = UInt64.random(in: 0...UInt64.max)
            var dice = SeededDice(seed: seed)
            var plan = Self.ends.flatMap { Array(repeating: $0, count: Self.rounds) }
            plan.shuffle(using: &dice)

            for (round, end) in plan.enumerated() {
                let place = "seed \(seed), round \(round), \(end)"
                if end == "server" {
                    shared = try await Self.killServer(of: shared, place)
                } else {
                    let outcome = try await shared.probe.run("renew", "die:\(end)", "renew")
                    #expect(outcome.code == -SIGKILL, "\(place): \(outcome.text)")
                    #expect(outcome.output.hasPrefix("renewed"), "\(place): \(outcome.text)")
                }
            }
            let outcome = try await shared.probe.run("renew", "send", "state")
            let lines = outcome.output.split(separator: "\n")
            #expect(
                lines.count == 3 && lines[0].hasPrefix("renewed") && lines[1].hasPrefix("200")
                    && lines[2] == "in",
                "seed \(seed), at the end: \(outcome.text)"
            )
            if shared.server.url == first.server.url { await shared.server.stop(SIGTERM) }
        }
    }

    /// Kills the server while it handles a request, either before or after it commits, and starts it again.
    private static func killServer(of shared: SharedServer, _ place: String) async throws -> SharedServer {
        let app = try await shared.probe.start("report:beforeSend", "renew")
        _ = await app.output(until: "beforeSend")
        await shared.server.stop(SIGKILL)
        let text = await app.outcome().text
        #expect(text.contains("renewed") || text.contains("session holds"), "\(place): \(text)")
        return try await shared.restarted()
    }
}
