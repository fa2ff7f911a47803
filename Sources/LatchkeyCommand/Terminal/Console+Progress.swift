import LatchkeyModel

extension Console {
    /// Runs an operation and shows its progress, with the elapsed time after two seconds.
    ///
    /// The progress message is removed when the operation ends. Nested calls overwrite each other's messages.
    ///
    /// - Parameters:
    ///   - activity: The description of the operation, or an empty string to show no progress.
    ///   - operation: The operation, which runs in the task of the caller.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation, unchanged.
    func showingProgress<Outcome: Sendable, Failure: Error>(
        _ activity: String,
        during operation: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        guard !activity.isEmpty else { return try await operation() }
        showProgress("\(activity)…")
        let ticker = Task.detached { [self] in
            for seconds in 1... {
                try await SystemTime().sleep(for: .seconds(1))
                if seconds >= 2 { showProgress("\(activity)… \(seconds) s") }
            }
        }
        defer {
            ticker.cancel()
            showProgress("")
        }
        return try await operation()
    }
}
