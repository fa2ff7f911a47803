import LatchkeyModel

/// Tracks the callers on this node that are waiting for the outcome of a first attempt.
///
/// Attempts made by other nodes aren't announced here, so callers must also read the outbox.
final class FirstAttempts: Sendable {
    /// The waiting callers for each message, keyed by ticket number.
    private struct Waiting {
        var next = 0
        var continuations: [Identifier: [Int: AsyncStream<FirstAttempt>.Continuation]] = [:]
    }

    private let waiting = Locked(Waiting())

    /// Notifies all callers that are waiting for the outcome of a message's first attempt.
    ///
    /// The outcome is discarded if there are no waiting callers.
    func announce(_ outcome: FirstAttempt, of id: Identifier) {
        let continuations = waiting.withLock { $0.continuations.removeValue(forKey: id) } ?? [:]
        for continuation in continuations.values { continuation.yield(outcome) }
    }

    /// Waits for the outcome of a message's first attempt.
    ///
    /// `known` is called after the caller has been registered, so an outcome can't be missed in between.
    ///
    /// - Parameters:
    ///   - id: The message id.
    ///   - limit: The maximum time to wait.
    ///   - time: The clock that measures the waiting time.
    ///   - known: Returns the outcome if it has already been recorded.
    /// - Returns: The outcome, or `nil` if the wait times out or the task is cancelled.
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
