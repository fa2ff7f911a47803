import LatchkeyModel

/// Reads the record again while the store is unavailable: after a second, and then less and less often.
///
/// The unlocking of a keyring changes no file that could be watched. No pause is longer than half a minute, so that the
/// state of the session follows within that time.
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

    /// Begins or stops to read.
    ///
    /// Calls for several decisions can arrive in another order than the decisions were made in. The latest decision has
    /// the highest number.
    ///
    /// - Parameters:
    ///   - isDue: Whether to read.
    ///   - ticket: The number of the decision; lower numbers than the highest so far are ignored.
    ///   - keeper: Returns the keeper of the record, as long as it exists.
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

    /// Stops to read, for good.
    func stop() {
        set(isDue: false, ticket: .max) { nil }
    }

    private func run(keeper: @Sendable () -> SessionKeeper?) async {
        // With the quarter that a pause can be longer, half a minute.
        var backoff = Backoff(first: .seconds(1), longest: .seconds(24))
        while !Task.isCancelled {
            backoff.fail(at: time.uptime, random: random)
            do {
                try await time.sleep(for: backoff.remainder(at: time.uptime))
            } catch {
                return
            }
            // Held during the read only.
            guard let keeper = keeper() else { return }
            await keeper.ready(again: true)
        }
    }
}
