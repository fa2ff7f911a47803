public import LatchkeyModel

/// A clock that stands still until a test moves it.
///
/// Tasks that sleep on it wake when the clock reaches their time, the earliest first. A test that wants
/// to wake a task waits until it sleeps (``sleepers(atLeast:inBackground:)``) and then moves the clock (``advance(by:)``):
/// no real time passes, and the outcome does not depend on how fast the machine is.
public final class VirtualTime: TimeSource {
    private let sleepers: Locked<VirtualSleepers>

    /// Creates a clock.
    ///
    /// - Parameter now: Where it stands at first; some morning of 2026 when not given.
    public init(now: Timestamp = Timestamp(seconds: 1_772_352_000)) {
        sleepers = Locked(VirtualSleepers(now: now))
    }

    /// Where the clock stands.
    public var now: Timestamp {
        sleepers.withLock { $0.now + $0.step }
    }

    /// How far the clock was moved, without steps of the wall clock.
    public var uptime: Duration {
        sleepers.withLock { .microseconds($0.now.microseconds) }
    }

    /// Waits until the clock has moved that far.
    ///
    /// - Parameter duration: How far; zero and less return at once.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await sleep(for: duration, inBackground: false)
    }

    /// The same clock for parts that sleep on their own account, whom ``sleepers(atLeast:inBackground:)`` counts apart.
    public var background: any TimeSource { BackgroundTime(clock: self) }

    fileprivate func sleep(for duration: Duration, inBackground: Bool) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let ticket = sleepers.withLock { $0.ticket() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (sleeper: VirtualSleepers.Sleeper) in
                sleepers
                    .withLock {
                        $0.add(sleeper, ticket: ticket, for: duration, inBackground: inBackground)
                    }
                    .wake()
            }
        } onCancel: {
            sleepers.withLock { $0.cancel(ticket) }.wake()
        }
    }

    /// Moves the clock and wakes every sleeper whose time has come.
    ///
    /// The tasks that wake read the new time, and sleep from then on when they sleep again.
    ///
    /// - Parameter duration: How far; a clock does not go back.
    public func advance(by duration: Duration) {
        sleepers.withLock { $0.advance(by: duration) }.wake()
    }

    /// How far the clock has to move for the first of the sleeping tasks to wake; `nil` if none sleeps.
    public var untilNextWake: Duration? {
        sleepers.withLock(\.untilNextWake)
    }

    /// Sets the wall clock alone, as a time server does or a virtual machine that resumes: tasks sleep on.
    ///
    /// - Parameter duration: How far ahead, or back when negative.
    public func stepWallClock(by duration: Duration) {
        sleepers.withLock { $0.step += duration }
    }

    /// Waits until tasks sleep on the clock.
    ///
    /// - Parameters:
    ///   - count: How many at least.
    ///   - background: Whether those are meant who sleep in the ``background``, and not the others.
    public func sleepers(atLeast count: Int, inBackground background: Bool = false) async {
        let ticket = sleepers.withLock { $0.ticket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (watcher: VirtualSleepers.Watcher) in
                sleepers
                    .withLock { $0.add(watcher, ticket: ticket, count: count, inBackground: background) }
                    .wake()
            }
        } onCancel: {
            sleepers.withLock { $0.cancel(ticket) }.wake()
        }
    }
}

/// A virtual clock on which nobody waits for the sleepers.
private struct BackgroundTime: TimeSource {
    let clock: VirtualTime

    var now: Timestamp { clock.now }

    var uptime: Duration { clock.uptime }

    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, inBackground: true)
    }
}
