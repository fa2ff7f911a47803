import TestDatabases
import Testing

/// Tests with a device and an API, written with the Python packages PyJWT and cryptography, that use this
/// server.
@Suite(.onEachDatabase) struct `Published Python libraries` {
    @Test func `create proofs that the server accepts and verify the tokens that it issues`() async throws {
        try await PythonScript("token_pair.py").passes()
    }
}
