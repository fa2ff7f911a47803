import Latchkey

extension Console {
    /// Runs a client operation, shows its progress, and converts its error.
    ///
    /// - Parameters:
    ///   - activity: The description of the operation, or an empty string to show no progress.
    ///   - operation: The operation, which is run once.
    /// - Returns: The result of the operation.
    /// - Throws: ``CommandFailure`` for the error of the operation.
    func attempt<Outcome: Sendable>(
        _ activity: String,
        operation: () async throws(LatchkeyError) -> Outcome
    ) async throws(CommandFailure) -> Outcome {
        do throws(LatchkeyError) {
            return try await showingProgress(activity, during: operation)
        } catch {
            throw CommandFailure(error)
        }
    }
}
