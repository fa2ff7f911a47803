import LatchkeyTestKit
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Proxy settings from the environment` {
    private static func environment(_ proxy: Int, _ more: [String: String] = [:]) -> [String: String] {
        let url = "http://127.0.0.1:\(proxy)"
        return [
            "http_proxy": url, "https_proxy": url, "HTTPS_PROXY": url, "all_proxy": url, "ALL_PROXY": url,
        ]
        .merging(more) { _, given in given }
    }

    private func withProxy(_ body: (SocketTestServer, RecordingProxy, TemporaryFolder) async throws -> Void)
        async throws
    {
        let sockets = try await SocketTestServer()
        let proxy = try RecordingProxy(
            to: try #require(sockets.url.split(separator: ":").last.flatMap { Int($0) })
        )
        do {
            try await body(sockets, proxy, TemporaryFolder())
        } catch {
            proxy.stop()
            await sockets.stop()
            throw error
        }
        proxy.stop()
        await sockets.stop()
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `Requests to this machine do not use the proxy`(_ host: String) async throws {
        try await withProxy { sockets, proxy, folder in
            let server = sockets.url.replacing("127.0.0.1", with: host)
            let outcome = try await ChildProcess.run(
                [BuiltCommand.path, "doctor", "--server", server],
                environment: Self.environment(proxy.port, ["HOME": folder.path, "PATH": "/usr/bin:/bin"])
            )

            #expect(outcome.output.contains("contract 1"), "\(outcome.text)")
            #expect(proxy.connectionCount == 0)
        }
    }

    @Test func `Requests to other machines use the proxy unless the app disables it`() async throws {
        try await withProxy { sockets, proxy, folder in
            let probe = SessionProbe(
                server: sockets.url,
                folder: folder.path,
                environment: Self.environment(proxy.port)
            )

            let without = try await probe.run("fetch:none:http://id.invalid", "fetch:none:https://id.invalid")
            #expect(without.output == "unreachable\nunreachable\n", "\(without.text)")
            #expect(proxy.connectionCount == 0)

            let through = try await probe.run("fetch:system:http://id.invalid")
            #expect(through.output == "404\n", "\(through.text)")
            #expect(proxy.connectionCount == 1)
        }
    }

    @Test func `Requests to hosts in no_proxy do not use the proxy`() async throws {
        try await withProxy { sockets, proxy, folder in
            let probe = SessionProbe(
                server: sockets.url,
                folder: folder.path,
                environment: Self.environment(proxy.port, ["no_proxy": "id.invalid"])
            )

            let excepted = try await probe.run("fetch:system:http://id.invalid")
            #expect(excepted.output == "unreachable\n", "\(excepted.text)")
            #expect(proxy.connectionCount == 0)

            // A proxy that is configured by the app is used for all hosts.
            let given = try await probe.run("fetch:\(proxy.port):http://id.invalid")
            #expect(given.output == "404\n", "\(given.text)")
            #expect(proxy.connectionCount == 1)
        }
    }
}
