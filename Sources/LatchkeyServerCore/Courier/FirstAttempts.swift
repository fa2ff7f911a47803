import LatchkeyModel

/// Those who wait for the outcome of a first attempt.
final class FirstAttempts: Sendable {
    private struct Waiting {
        var next = 0
        var continuations: [Identifier: [Int: AsyncStream<FirstAttempt>.Continuation]] = [:]
    }

    private let waiting = Locked(Waiting())

    /// Tells those who wait for a message what became of it.
    func announce(_ outcome: FirstAttempt, of id: Identifier) {
        let continuations = waiting.withLock { $0.continuations.removeValue(forKey: id) } ?? [:]
        for continuation in continuations.values { continuation.yield(outcome) }
    }

    /// Waits for an announcement; nothing when the time is over or the task is cancelled.
    ///
    /// `known` is asked once the announcement cannot be missed any more; what it knows is the answer.
    func wait(
        for id: Identifier,
        atMost limit: Duration,
        time: some TimeSource,
        known: () async -> FirstAttempt?
    ) async -> FirstAttempt? {
        let (stream, continuation) = AsyncStream<FirstAttempt>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let ticket = waiting.withLock { waiting in
            waiting.next += 1
            waiting.continuations[id, default: [:]][waiting.next] = continuation
            return waiting.next
        }
        defer {
            waiting.withLock { waiting in
                waiting.continuations[id]?[ticket] = nil
                if waiting.continuations[id]?.isEmpty == true { waiting.continuations[id] = nil }
            }
        }
        if let outcome = await known() { return outcome }
        let timer = Task {
            try? await time.sleep(for: limit)
            continuation.finish()
        }
        defer { timer.cancel() }
        for await outcome in stream { return outcome }
        return nil
    }
}
