import Foundation
import TestProcesses
import Testing

/// Real processes of one app, the file in which they share a session, and a real server.
@Suite(.serialized) struct `A session of several processes` {
    @Test func `is renewed once when eight of them find its token expired`() async throws {
        try await SharedServer.with { (shared) async throws in
            let first = try await shared.probe.run("renew").output
            let gate = try Gate(shared.folder + "/gate")
            var processes: [ChildProcess] = []
            for _ in 1...8 {
                processes.append(
                    try await shared.probe.start("state", "late", "barrier:\(gate.path)", "send")
                )
            }
            for process in processes { _ = await process.output(until: "ready") }
            gate.open()

            var answers: Set<Substring> = []
            for process in processes {
                answers.formUnion(await process.outcome().output.split(separator: "\n").suffix(1))
            }
            let answer = try #require(answers.first)
            #expect(answers.count == 1 && answer.hasPrefix("200 with "), "\(answers)")
            #expect(!first.hasSuffix("\(answer.dropFirst("200 with ".count))\n"))
        }
    }

    @Test func `goes on without one that was stopped in a renewal, which finds its way later`() async throws {
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

    @Test func `is over in all of them when one logs out`() async throws {
        try await SharedServer.with { (shared) async throws in
            #expect(try await shared.probe.run("logout").output == "out\n")
            #expect(try await shared.probe.run("state", "send").output.hasPrefix("out\nerror signedOut"))
        }
    }
}

/// A file that its holder keeps others from passing.
private struct Gate {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    func open() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
