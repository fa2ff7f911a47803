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

    /// The number of hand-offs, which is 10,000 with `scripts/check --deep`.
    private static let handOffs = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 2_000 : 10_000

    @Test(.timeLimit(.minutes(20)))
    func `Hand-offs to a store app, half of them abandoned, do not increase memory usage`() async throws {
        let outcome = try await ChildProcess.run(
            [Self.probe, "handoffs", "\(Self.handOffs)"],
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
        )

        #expect(outcome.code == 0, "\(outcome.text)")
        let samples = outcome.output.split(separator: "\n")
            .map { line in line.split(separator: " ").compactMap { Int($0) } }.filter { $0.count == 2 }
        try #require(samples.count == 10, "\(outcome.text)")
        #expect(samples[9][1] - samples[2][1] < 1750, "\(samples)")
        print("\(Self.handOffs) hand-offs: \(samples.map { "\($0[1]) KiB" }.joined(separator: ", "))")
    }
}
