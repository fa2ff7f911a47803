import LatchkeyCrypto
import Testing

/// Expects an error with the given code.
func expect<Value>(
    _ code: CryptoError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    body: () throws(CryptoError) -> Value
) {
    do {
        _ = try body()
        Issue.record("Expected an error.", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
