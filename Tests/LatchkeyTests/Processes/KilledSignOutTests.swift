import Foundation
import TestProcesses
import Testing

@Suite(.serialized) struct `Processes killed during a sign-out` {
    /// The system calls that change files.
    ///
    /// The tracer counts the occurrences of each system call separately.
    private static let calls = ["flock", "pwrite64", "fsync", "renameat", "unlinkat"]

    @Test func `Values stored alongside a session never outlive the session`() async throws {
        try await SharedServer.with { (shared) async throws in
            var kills = 0
            for call in Self.calls { kills += try await Self.kill(shared, at: call) }
            #expect(kills >= 5)
        }
    }

    /// Kills a sign-out at the first occurrence of a system call, then at the second and so on, until there
    /// are no more.
    ///
    /// - Returns: The number of times that the process was killed.
    private static func kill(_ shared: SharedServer, at call: String) async throws -> Int {
        for number in 1...100 {
            try await shared.logIn()
            #expect(try await shared.probe.run("side:kept", "side").output == "kept\nkept\n")

            let killer = StoreProbe.disturbing("?" + call, "signal=KILL", at: "\(number)")
            let text = try await shared.probe.run("logout", under: killer).output

            let place: Comment = "\(call) \(number): \(text)"
            let found = try await shared.probe.run("held", "side").output
            #expect(["in\nkept\n", "in\nnone\n", "out\nnone\n"].contains(found), place)
            if text == "out\n" {
                #expect(found == "out\nnone\n", place)
                return number - 1
            }
        }
        Issue.record("The sign-out never ends.")
        return 100
    }
}
