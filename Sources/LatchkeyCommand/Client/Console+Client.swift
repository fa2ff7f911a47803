import Latchkey

extension Console {
    /// Runs a client operation, shows its progress, and converts its error.
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
