import LatchkeyCore
import Testing

/// Returns the value that a closure returns, or the error that it throws.
func outcome<Value: Sendable>(_ call: @Sendable () async throws -> Value) async -> Result<Value, any Error> {
    do {
        return .success(try await call())
    } catch {
        return .failure(error)
    }
}

extension Result where Failure == any Error {
    /// The error, or `nil` if the call succeeded.
    var error: LatchkeyError? {
        guard case .failure(let error) = self else { return nil }
        if error is LatchkeyError == false { Issue.record("The error has another type: \(error)") }
        return error as? LatchkeyError
    }

    /// The error's code, or `nil` if the call succeeded.
    var code: LatchkeyError.Code? { error?.code }
}
