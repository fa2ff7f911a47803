import TestDatabases
import Testing

/// A device and an API written with PyJWT and cryptography, against our server.
@Suite(.onEachDatabase) struct `Published libraries for Python` {
    @Test func `sign the proofs that the server takes and verify the tokens that it issues`() async throws {
        try await PythonScript("token_pair.py").passes()
    }
}
