import TestDatabases
import Testing

/// A device and an API written with PyJWT and cryptography, against this server.
@Suite(.onEachDatabase) struct `Published Python libraries` {
    @Test func `create proofs that the server accepts and verify the tokens that it issues`() async throws {
        try await PythonScript("token_pair.py").passes()
    }
}
