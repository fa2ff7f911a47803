import Latchkey

extension Console {
    /// Performs a client operation while showing its progress, and converts its error to a
    /// ``CommandFailure``.
    ///
    /// - Parameters:
    ///   - activity: A description of the operation. If the description is empty, no progress is shown.
    ///   - operation: The operation to perform.
    /// - Returns: The operation's result.
    /// - Throws: ``CommandFailure`` if the operation fails.
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
