import VipasoTypes

/// Waits until a call has completed.
///
/// If the completion handler is called twice, the test run is terminated.
@MainActor
func answer<Value: Sendable>(_ call: (@escaping @MainActor (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in
        call { value in
            MainActor.preconditionIsolated()
            continuation.resume(returning: value)
        }
    }
}

extension Result where Failure == VipasoError {
    /// The error, or `nil` if the call succeeded.
    var error: VipasoError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
