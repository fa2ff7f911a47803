import LatchkeyModel

extension Console {
    /// Performs an operation while showing its progress.
    ///
    /// After two seconds, the progress message also shows the elapsed time.
    ///
    /// The progress message is removed when the operation ends. Don't nest calls to this method, because the
    /// calls would overwrite each other's messages.
    ///
    /// - Parameters:
    ///   - activity: A description of the operation. If the description is empty, no progress is shown.
    ///   - operation: The operation, which runs in the caller's task.
    /// - Returns: The operation's result.
    /// - Throws: The error thrown by the operation.
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
