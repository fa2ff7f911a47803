import LatchkeyCommerce
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@testable import LatchkeyServerKit

/// Uses this server from a device and an API that are written with the Python packages PyJWT and
/// cryptography.
@Suite(.onEachDatabase) struct `Published Python libraries` {
    @Test func `Python libraries create accepted proofs and verify the server's tokens`() async throws {
        try await PythonScript("token_pair.py").passes()
    }

    @Test func `Python libraries verify tokens of both algorithms with the published keys`() async throws {
        let server = try await TestServer()
        let keys = try #require(server.assembly).tokens.keys
        var tokens: [String] = []
        for algorithm in [SigningAlgorithm.es256, .rs256] {
            let claims = #"{"iss":"https://id.example.com","sub":"\#(algorithm.rawValue)"}"#
            let token = try await keys.sign(
                Array(claims.utf8),
                type: "JWT",
                algorithm: algorithm,
                at: server.time.now
            )
            tokens.append(token.exposed)
        }
        let set = await server.handler.respond(to: HTTP.Request(.get, Route.keySet), from: .inProcess)

        let outcome = try await PythonScript("key_set.py").run(
            [String(decoding: set.body, as: UTF8.self)] + tokens
        )

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.output.hasSuffix("all steps passed\n"))
        await server.stop()
    }

    @Test func `Python libraries verify exported answers to terms with the published keys`() async throws {
        try await PythonScript("terms_evidence.py").passes { server in
            [try #require(server.url), try #require(server.adminURL)]
        }
    }

    @Test func `Python libraries verify a purchase history with the published keys`() async throws {
        let folder = TemporaryFolder()
        let catalog = try TestCatalog.write(to: folder.path)
        try await PythonScript("purchase_history.py").passes { server in
            [try #require(server.url), try #require(server.adminURL)]
        } changing: {
            $0.commerce.catalog = catalog
        }
    }
}
