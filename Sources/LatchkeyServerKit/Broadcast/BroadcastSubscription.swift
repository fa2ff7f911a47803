import LatchkeyModel

/// A subscription to one or more topics, to be read by a single task.
///
/// A subscription uses the same amount of memory no matter how many signals it receives. See
/// ``BroadcastSignals``.
package final class BroadcastSubscription: Sendable {
    private struct State {
        var pending: BroadcastSignals = []
        var waiting: CheckedContinuation<BroadcastSignals?, Never>?
        var hasEnded = false
    }

    /// The topics that wake the subscriber.
    ///
    /// A change to any one of the topics is enough to wake the subscriber.
    package let topics: [BroadcastTopic]

    private let state = Locked(State())

    init(topics: [BroadcastTopic]) {
        self.topics = topics
    }

    /// Waits for the next signals and returns everything that has arrived since the previous call.
    ///
    /// Only one task may call this method at a time.
    ///
    /// - Returns: The signals that have arrived, or `nil` if the subscription has ended or the task was
    ///   cancelled.
    package func next() async -> BroadcastSignals? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> BroadcastSignals?? in
                    if state.hasEnded { return .some(nil) }
                    guard state.pending.isEmpty else {
                        defer { state.pending = [] }
                        return state.pending
                    }
                    state.waiting = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            end()
        }
    }

    /// Returns the signals that have arrived since the previous call, without waiting.
    ///
    /// A subscription is read either with this method or with ``next()``.
    package func take() -> BroadcastSignals {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }

    /// Adds signals and wakes the subscriber.
    package func signal(_ signals: BroadcastSignals) {
        let (waiting, pending) = state.withLock { state in
            state.pending.formUnion(signals)
            guard let waiting = state.waiting else {
                return (CheckedContinuation<BroadcastSignals?, Never>?.none, BroadcastSignals())
            }
            defer { (state.waiting, state.pending) = (nil, []) }
            return (waiting, state.pending)
        }
        waiting?.resume(returning: pending)
    }

    /// Ends the subscription and resumes the waiting task.
    ///
    /// After this call, ``next()`` returns `nil`.
    package func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }
}
