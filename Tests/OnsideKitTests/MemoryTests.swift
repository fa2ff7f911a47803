import Foundation
import TestProcesses
import Testing

@Suite struct `Memory of an app with OnsideKit` {
    private static let probe = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("OnsideProbe").path

    @Test(.timeLimit(.minutes(10)))
    func `10,000 logins and released observers do not increase memory usage`() async throws {
        let outcome = try await ChildProcess.run(
            [Self.probe, "10000"],
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
        )

        #expect(outcome.code == 0, "\(outcome.text)")
        let samples = outcome.output.split(separator: "\n")
            .map { line in line.split(separator: " ").compactMap { Int($0) } }.filter { $0.count == 2 }
        try #require(samples.count == 10)
        // The first samples include the growth of the allocator's arenas. Afterwards, the growth must stay
        // below 256 bytes per login.
        let growth = samples[9][1] - samples[2][1]
        #expect(growth < 1750, "\(samples)")
        print("10,000 logins: \(samples.map { "\($0[1]) KiB" }.joined(separator: ", "))")
    }
}
