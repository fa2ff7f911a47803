import Latchkey

extension Console {
    /// Does something at the server, shows that it is under way, and says what kept it from being done.
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
