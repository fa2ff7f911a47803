import LatchkeyModel

/// Reads the record periodically while the store is unavailable: after one second, then at growing intervals.
///
/// Unlocking a keyring does not change a file that could be watched. No interval exceeds 30 seconds, so the
/// session's state is updated within that time.
final class UnavailabilityRetry: Sendable {
    private struct State {
        var ticket: UInt64 = 0
        var task: Task<Void, Never>?
    }

    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Locked(State())

    init(time: any TimeSource, random: any RandomSource) {
        (self.time, self.random) = (time, random)
    }

    /// Starts or stops the reads.
    ///
    /// Calls can arrive out of order; the latest decision has the highest ticket.
    ///
    /// - Parameters:
    ///   - isDue: Whether to read the record periodically.
    ///   - ticket: The number of the decision; a number below the highest so far is ignored.
    ///   - keeper: Returns the keeper of the record, or `nil` if it was deallocated, which ends the reads.
    func set(isDue: Bool, ticket: UInt64, keeper: @escaping @Sendable () -> SessionKeeper?) {
        let former = state.withLock { state -> Task<Void, Never>? in
            guard ticket > state.ticket else { return nil }
            defer {
                state.ticket = ticket
                state.task = isDue ? Task { [self] in await run(keeper: keeper) } : nil
            }
            return state.task
        }
        former?.cancel()
    }

    /// Stops the reads permanently.
    func stop() {
        set(isDue: false, ticket: .max) { nil }
    }

    /// Reads the record after each pause, until the task is cancelled or the keeper is deallocated.
    private func run(keeper: @Sendable () -> SessionKeeper?) async {
        // At most 30 seconds, including the random extension of up to a quarter.
        var backoff = Backoff(first: .seconds(1), longest: .seconds(24))
        while !Task.isCancelled {
            backoff.fail(at: time.uptime, random: random)
            do {
                try await time.sleep(for: backoff.remainder(at: time.uptime))
            } catch {
                return
            }
            // The keeper is retained only during the read.
            guard let keeper = keeper() else { return }
            await keeper.ready(again: true)
        }
    }
}
