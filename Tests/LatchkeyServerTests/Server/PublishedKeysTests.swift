import Foundation
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Published server keys` {
    private let folder = TemporaryFolder()

    private func keySet() async throws -> [UInt8] {
        var configuration = ServerConfiguration(data: folder.path + "/data")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.logLevel = .error
        let server = IdentityServer(configuration: configuration)
        try await server.start()
        let answer = await server.handler.respond(to: HTTP.Request(.get, Route.keySet), from: .inProcess)
        await server.stop()
        #expect(answer.status == 200)
        return answer.body
    }

    @Test func `The published keys survive a restart and replacing the secret`() async throws {
        let first = try await keySet()
        #expect(String(decoding: first, as: UTF8.self).contains(#""alg":"ES256""#))
        #expect(try await keySet() == first)

        let file = URL(fileURLWithPath: folder.path + "/data/secrets")
        let old = try String(contentsOf: file, encoding: .utf8)
        try (Base64URL.encode(SystemRandom().bytes(32)) + "\n" + old)
            .write(to: file, atomically: false, encoding: .utf8)
        #expect(try await keySet() == first)
    }
}
