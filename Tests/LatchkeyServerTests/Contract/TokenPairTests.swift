import LatchkeyCommerce
import LatchkeyServer
import TestDatabases
import TestProcesses
import Testing

/// Uses this server from a device and an API that are written with the Python packages PyJWT and
/// cryptography.
@Suite(.onEachDatabase) struct `Published Python libraries` {
    @Test func `Python libraries create accepted proofs and verify the server's tokens`() async throws {
        try await PythonScript("token_pair.py").passes()
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
