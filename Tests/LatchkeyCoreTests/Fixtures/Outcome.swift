import LatchkeyCore
import Testing

/// Returns the result of a call.
func outcome<Value: Sendable>(_ call: @Sendable () async throws -> Value) async -> Result<Value, any Error> {
    do {
        return .success(try await call())
    } catch {
        return .failure(error)
    }
}

extension Result where Failure == any Error {
    /// The error; `nil` after a success.
    var error: LatchkeyError? {
        guard case .failure(let error) = self else { return nil }
        if error is LatchkeyError == false { Issue.record("The error has another type: \(error)") }
        return error as? LatchkeyError
    }

    /// The code of the error; `nil` after a success.
    var code: LatchkeyError.Code? { error?.code }
}
