import LatchkeyModel

/// Tries to read the record again while the store is unavailable.
///
/// The first attempt is made after one second, and the intervals then increase.
///
/// We have to poll because unlocking a keyring doesn't modify any file that we could watch. The interval is
/// never longer than 30 seconds, so the session's state is updated within that time.
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

    /// Starts or stops reading the record periodically.
    ///
    /// Calls may be made out of order. The one with the highest ticket takes effect.
    ///
    /// - Parameters:
    ///   - isDue: Whether to read the record periodically.
    ///   - ticket: A number that increases with every change of `isDue`. The call is ignored if an earlier
    ///     call had a higher ticket.
    ///   - keeper: A closure that returns the session's keeper. If the keeper was deallocated, the closure
    ///     returns `nil` and reading stops.
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

    /// Stops reading permanently.
    func stop() {
        set(isDue: false, ticket: .max) { nil }
    }

    /// Reads the record after each delay, until the task is cancelled or the keeper is deallocated.
    private func run(keeper: @Sendable () -> SessionKeeper?) async {
        // With the random extension of up to 25%, the maximum delay is 30 seconds.
        var backoff = Backoff(first: .seconds(1), longest: .seconds(24))
        while !Task.isCancelled {
            backoff.fail(at: time.uptime, random: random)
            do {
                try await time.sleep(for: backoff.remainder(at: time.uptime))
            } catch {
                return
            }
            // We only retain the keeper while reading.
            guard let keeper = keeper() else { return }
            await keeper.ready(again: true)
        }
    }
}
