public import LatchkeyModel

/// A clock that advances only when a test moves it.
///
/// A task that sleeps on the clock wakes when its deadline is reached, earliest deadline first. To wake a
/// task, a test waits until the task sleeps (``sleepers(atLeast:inBackground:)``) and then moves the clock
/// (``advance(by:)``). No real time passes, and the outcome does not depend on the speed of the machine.
public final class VirtualTime: TimeSource {
    private let sleepers: Locked<VirtualSleepers>

    /// Creates a clock.
    ///
    /// - Parameter now: The initial time, which is 1 March 2026, 08:00 UTC, by default.
    public init(now: Timestamp = Timestamp(seconds: 1_772_352_000)) {
        sleepers = Locked(VirtualSleepers(now: now))
    }

    /// The time of the wall clock, including its steps.
    public var now: Timestamp {
        sleepers.withLock { $0.now + $0.step }
    }

    /// The time of the clock without the steps of the wall clock; only differences are meaningful.
    public var uptime: Duration {
        sleepers.withLock { .microseconds($0.now.microseconds) }
    }

    /// Waits until the clock has advanced by a duration.
    ///
    /// The duration is measured from the time of the call. Steps of the wall clock do not affect it.
    ///
    /// - Parameter duration: The time to wait; if it is zero or negative, the method returns immediately.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await sleep(for: duration, inBackground: false)
    }

    /// The same clock for background workers, whose sleeps ``sleepers(atLeast:inBackground:)`` counts
    /// separately.
    public var background: any TimeSource { BackgroundTime(clock: self) }

    /// Sleeps as a foreground or background task; a cancellation before the sleep begins is not lost.
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

    /// Moves the clock forward and wakes every task whose deadline has been reached.
    ///
    /// A task that wakes reads the new time, and its next sleep is measured from that time.
    ///
    /// The method returns before the tasks have run. Tasks with earlier deadlines are resumed first.
    ///
    /// - Parameter duration: The time by which the clock advances, which never moves backwards.
    public func advance(by duration: Duration) {
        sleepers.withLock { $0.advance(by: duration) }.wake()
    }

    /// The time until the first sleeping task wakes; `nil` if no task sleeps.
    ///
    /// Background tasks are included.
    public var untilNextWake: Duration? {
        sleepers.withLock(\.untilNextWake)
    }

    /// Steps the wall clock without waking sleepers.
    ///
    /// Such a step occurs when a time server corrects the clock or a virtual machine resumes.
    ///
    /// Steps are cumulative. ``uptime`` does not change.
    ///
    /// - Parameter duration: The size of the step, which is negative for a step backwards.
    public func stepWallClock(by duration: Duration) {
        sleepers.withLock { $0.step += duration }
    }

    /// Waits until enough tasks sleep on the clock, or returns immediately if the calling task is cancelled.
    ///
    /// The tasks may have begun to sleep before the call.
    ///
    /// - Parameters:
    ///   - count: The minimum number of sleeping tasks.
    ///   - background: Whether to count the tasks that sleep on the ``background`` clock instead of the other
    ///     tasks.
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

/// The virtual clock for background workers, whose sleeps are counted separately.
private struct BackgroundTime: TimeSource {
    let clock: VirtualTime

    var now: Timestamp { clock.now }

    var uptime: Duration { clock.uptime }

    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, inBackground: true)
    }
}
