import Latchkey
import Testing

/// Returns the error of a call, or `nil` after a success.
func failure<Value>(_ call: () async throws -> Value) async -> LatchkeyError? {
    do {
        _ = try await call()
        return nil
    } catch {
        if error is LatchkeyError == false { Issue.record("The error has another type: \(error)") }
        return error as? LatchkeyError
    }
}
