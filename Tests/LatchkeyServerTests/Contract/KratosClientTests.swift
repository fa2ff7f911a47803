import Foundation
import LatchkeyServer
import TestProcesses
import Testing

/// The client that the makers of Ory Kratos publish for Python, unchanged, against our server.
@Suite struct `The published client of Ory Kratos` {
    @Test func `registers, logs in, asks who it is and logs out over sockets`() async throws {
        let folder = URL.temporaryDirectory.appending(path: "latchkey-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = ServerConfiguration(data: folder.path())
        configuration.port = 0
        configuration.admin.port = 0
        configuration.basePath = "/"
        configuration.identities.defaultSchema = "person"
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        configuration.logLevel = .error
        let server = IdentityServer(configuration: configuration)
        try await server.start()

        let outcome = try await PythonScript("kratos_client.py").run(try #require(server.url))

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.output.hasSuffix("all steps passed\n"))
        await server.stop()
    }
}
