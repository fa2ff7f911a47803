import Foundation
import TestProcesses
import Testing

/// Tests processes of the same app that share a session in a file and use a real server.
@Suite(.serialized) struct `Session shared by processes` {
    @Test func `Eight processes with an expired token refresh it once`() async throws {
        try await SharedServer.with { (shared) async throws in
            let first = try await shared.probe.run("renew").output
            let barrier = try ProcessBarrier(shared.folder + "/barrier")
            var processes: [ChildProcess] = []
            for _ in 1...8 {
                processes.append(
                    try await shared.probe.start("state", "late", "barrier:\(barrier.path)", "send")
                )
            }
            for process in processes { _ = await process.output(until: "ready") }
            barrier.release()

            var answers: Set<Substring> = []
            for process in processes {
                answers.formUnion(await process.outcome().output.split(separator: "\n").suffix(1))
            }
            let answer = try #require(answers.first)
            #expect(answers.count == 1 && answer.hasPrefix("200 with "), "\(answers)")
            #expect(!first.hasSuffix("\(answer.dropFirst("200 with ".count))\n"))
        }
    }

    @Test func `A process suspended during a refresh neither blocks the others nor loses the session`()
        async throws
    {
        try await SharedServer.with { (shared) async throws in
            #expect(try await shared.probe.run("renew").output.hasPrefix("renewed"))
            let stopped = try await shared.probe.start("stop:beforeSend", "renew", "send")
            #expect(await stopped.isStopped())

            for _ in 1...2 { #expect(try await shared.probe.run("renew").output.hasPrefix("renewed")) }
            stopped.signal(SIGCONT)

            let lines = await stopped.outcome().output.split(separator: "\n")
            #expect(
                lines.count == 3 && lines[1].hasPrefix("renewed") && lines[2].hasPrefix("200"),
                "\(lines)"
            )
            #expect(try await shared.probe.run("state").output == "in\n")
        }
    }

    @Test func `A sign-out in one process ends the session in all processes`() async throws {
        try await SharedServer.with { (shared) async throws in
            #expect(try await shared.probe.run("logout").output == "out\n")
            #expect(try await shared.probe.run("state", "send").output.hasPrefix("out\nerror signedOut"))
        }
    }
}

/// A locked file that processes wait for.
private struct ProcessBarrier {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
