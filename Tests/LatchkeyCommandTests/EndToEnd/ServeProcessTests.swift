import Foundation
import LatchkeyCurl
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Server process` {
    private let folder = TestFolder()

    private func server(_ flags: [String] = [], in shell: String) async throws -> ServerProcess {
        // `exec` keeps the process ID.
        let script = "echo $$ > \(folder.path)/process; \(shell); exec \"$0\" \"$@\""
        return try await ServerProcess(
            data: folder.path + "/server",
            flags: flags,
            under: ["/bin/sh", "-c", script]
        )
    }

    private var limits: String {
        get throws {
            let number = try String(contentsOfFile: folder.path + "/process", encoding: .utf8)
            let path = "/proc/\(number.split(separator: "\n")[0])/limits"
            return try String(contentsOfFile: path, encoding: .utf8)
        }
    }

    private func row(_ name: String) throws -> [Substring] {
        let line = try limits.split(separator: "\n").first { $0.hasPrefix(name) }
        return try #require(line).dropFirst(name.count).split(separator: " ")
    }

    @Test func `The server raises its limit on open files and disables core dumps`() async throws {
        let server = try await server(in: "ulimit -S -n 300; ulimit -H -n 700; ulimit -S -c 1000")

        #expect(try row("Max open files").prefix(2) == ["700", "700"])
        #expect(try row("Max core file size").prefix(2) == ["0", "0"])
        await server.stop()
    }

    @Test func `A server that was started with nohup keeps running after a hang-up`() async throws {
        let server = try await server(in: "trap '' HUP")
        let text = try String(contentsOfFile: folder.path + "/process", encoding: .utf8)
        let number = try #require(pid_t(text.split(separator: "\n")[0]))

        #expect(kill(number, SIGHUP) == 0)

        let alive = try await CurlTransport().send(HTTP.Request(.get, Route.alive), to: server.adminURL)
        #expect(alive.status == 200)
        #expect(await server.stop().code == 0)
    }

    @Test func `The admin listener responds even if clients use up all public connections`() async throws {
        let server = try await server(
            ["--trusted-proxies", "10.0.0.1", "--admin-metrics", "open"],
            in: "ulimit -n 300"
        )
        let port = try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
        let clients = try (0..<600).map { _ in try LoopbackSocket.connect(to: port) }
        defer { for client in clients { close(client) } }

        let alive = try await CurlTransport().send(HTTP.Request(.get, Route.alive), to: server.adminURL)

        #expect(alive.status == 200)
        let metrics = try await CurlTransport().send(HTTP.Request(.get, "/metrics"), to: server.adminURL)
        #expect(metrics.status == 200)
        let outcome = await server.stop()
        #expect(outcome.errors.contains(#""event":"server.stopping""#))
    }

    @Test func `The server reads its arguments even if a library changed the environment`() async throws {
        let library = folder.path + "/library.so"
        let source = """
            #include <stdlib.h>
            __attribute__((constructor)) static void load(void) { setenv("PRELOADED", "yes", 1); }
            """
        let built = try await ChildProcess.run(
            ["clang", "-shared", "-fPIC", "-x", "c", "-o", library, "-"],
            input: source
        )
        try #require(built.code == 0, "\(built.text)")
        func run(_ words: String...) async throws -> ChildProcess.Outcome {
            let environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin", "LD_PRELOAD": library]
            return try await ChildProcess.run([BuiltCommand.path] + words, environment: environment)
        }

        #expect(try await run("serve", "--help").output.contains("--port NUMBER"))
        #expect(try await run("config", "check", "--port", "70000").code == 2)
        #expect(try await run("serve", "--config", "/nonexistent").errors.contains("cannot be read"))
        let idle = try await run()
        #expect(idle.code == 2 && idle.output.isEmpty && idle.errors.contains("Commands:"))
    }
}
