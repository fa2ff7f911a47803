import LatchkeyCrypto
import Testing

/// Expects a refusal of one kind.
func expect<Value>(
    _ code: CryptoError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(CryptoError) -> Value
) {
    do {
        _ = try body()
        Issue.record("Nothing was refused.", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
