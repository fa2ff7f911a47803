import LatchkeyModel

extension Console {
    /// Shows progress during an operation, with the elapsed seconds from the second one on.
    func waiting<Outcome: Sendable, Failure: Error>(
        for what: String,
        _ work: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        guard !what.isEmpty else { return try await work() }
        showProgress("\(what)…")
        let ticker = Task.detached { [self] in
            for seconds in 1... {
                try await SystemTime().sleep(for: .seconds(1))
                if seconds >= 2 { showProgress("\(what)… \(seconds) s") }
            }
        }
        defer {
            ticker.cancel()
            showProgress("")
        }
        return try await work()
    }
}
