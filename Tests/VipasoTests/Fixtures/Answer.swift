import VipasoTypes

/// Waits for the answer of a call with a completion; a second answer stops the test run.
@MainActor
func answer<Value: Sendable>(_ call: (@escaping @MainActor (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in
        call { value in
            MainActor.preconditionIsolated()
            continuation.resume(returning: value)
        }
    }
}

/// Waits until everything that was handed to the main actor before has been done.
@MainActor
func mainActorIsIdle() async {
    for _ in 1...100 { await Task.yield() }
}

extension Result where Failure == VipasoError {
    /// The error; nothing after a success.
    var error: VipasoError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
