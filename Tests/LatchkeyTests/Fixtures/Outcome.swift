import Latchkey
import Testing

/// Returns the error that a call throws, or `nil` if the call succeeds.
func failure<Value>(_ call: () async throws -> Value) async -> LatchkeyError? {
    do {
        _ = try await call()
        return nil
    } catch {
        if error is LatchkeyError == false { Issue.record("The error has another type: \(error)") }
        return error as? LatchkeyError
    }
}
