import LatchkeyCommerce
import LatchkeyServer
import TestDatabases
import TestProcesses
import Testing

/// Tests with a device and an API, written with the Python packages PyJWT and cryptography, that use this
/// server.
@Suite(.onEachDatabase) struct `Published Python libraries` {
    @Test func `create proofs that the server accepts and verify the tokens that it issues`() async throws {
        try await PythonScript("token_pair.py").passes()
    }

    @Test func `verify a purchase history with the published keys`() async throws {
        let folder = TemporaryFolder()
        let catalog = try TestCatalog.write(to: folder.path)
        try await PythonScript("purchase_history.py").passes(changing: { $0.commerce.catalog = catalog })
    }
}
