import Latchkey

extension Console {
    /// Runs a client operation, shows its progress, and converts its error.
    func attempt<Outcome: Sendable>(
        _ what: String,
        _ work: () async throws(LatchkeyError) -> Outcome
    ) async throws(CommandFailure) -> Outcome {
        do throws(LatchkeyError) {
            return try await waiting(for: what, work)
        } catch {
            throw CommandFailure(error)
        }
    }
}
