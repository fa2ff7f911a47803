import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Languages from the environment` {
    @Test(
        arguments: [(["LANG": "sv_SE.UTF-8"], "sv-SE"), (["LANG": "C.UTF-8"], nil), ([:], nil)]
            as [([String: String], String?)]
    )
    func `The user's languages are taken from the environment variables`(
        _ variables: [String: String],
        _ languages: String?
    ) async throws {
        let sockets = try await SocketTestServer()
        let proxy = try RecordingProxy(
            to: try #require(sockets.url.split(separator: ":").last.flatMap { Int($0) })
        )
        let folder = TemporaryFolder()

        let outcome = try await ChildProcess.run(
            [BuiltCommand.path, "doctor", "--server", "http://127.0.0.1:\(proxy.port)"],
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(variables) { _, given in given
            }
        )

        #expect(outcome.output.contains("contract 1"), "\(outcome.text)")
        let request = try #require(proxy.exchanges.first?.request)
        #expect(request.headers["Accept-Language"] == languages)
        #expect(request.headers["User-Agent"] == "latchkey.command Latchkey/\(Release.version)")
        proxy.stop()
        await sockets.stop()
    }
}
