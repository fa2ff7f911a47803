import Foundation
import LatchkeyServer
import TestProcesses
import Testing

/// A device and an API written with PyJWT and cryptography, against our server.
@Suite struct `Published libraries for Python` {
    @Test func `sign the proofs that the server takes and verify the tokens that it issues`() async throws {
        let folder = URL.temporaryDirectory.appending(path: "latchkey-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = ServerConfiguration(data: folder.path())
        configuration.port = 0
        configuration.admin.port = 0
        configuration.identities.defaultSchema = "person"
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        configuration.logLevel = .error
        let server = IdentityServer(configuration: configuration)
        try await server.start()

        let outcome = try await PythonScript("token_pair.py").run(try #require(server.url))

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.output.hasSuffix("all steps passed\n"))
        await server.stop()
    }
}
