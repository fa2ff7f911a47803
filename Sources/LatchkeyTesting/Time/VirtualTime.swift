public import LatchkeyModel

/// A clock that advances only when a test moves it.
///
/// Tasks that sleep on the clock wake up when their deadline is reached, earliest deadline first. To wake a
/// task, a test waits until the task is asleep (``sleepers(atLeast:inBackground:)``) and then moves the clock
/// (``advance(by:)``). No real time passes, and the outcome doesn't depend on how fast the machine is.
public final class VirtualTime: TimeSource {
    private let sleepers: Locked<VirtualSleepers>

    /// Creates a clock.
    ///
    /// - Parameter now: The initial time. The default is 1 March 2026, 08:00 UTC.
    public init(now: Timestamp = Timestamp(seconds: 1_772_352_000)) {
        sleepers = Locked(VirtualSleepers(now: now))
    }

    /// The wall clock's time, including changes made with ``stepWallClock(by:)``.
    public var now: Timestamp {
        sleepers.withLock { $0.now + $0.step }
    }

    /// The clock's time, which isn't affected by changes to the wall clock.
    ///
    /// Only differences between two values are meaningful.
    public var uptime: Duration {
        sleepers.withLock { .microseconds($0.now.microseconds) }
    }

    /// Waits until the clock has advanced by the given duration.
    ///
    /// The duration is measured from the time of the call. Changes to the wall clock don't affect how long
    /// this method waits.
    ///
    /// - Parameter duration: How long to wait. If the duration is zero or negative, the method returns
    ///   immediately.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await sleep(for: duration, inBackground: false)
    }

    /// A time source for background workers that uses this clock.
    ///
    /// ``sleepers(atLeast:inBackground:)`` counts background tasks separately.
    public var background: any TimeSource { BackgroundTime(clock: self) }

    /// Sleeps as a foreground or background task.
    ///
    /// A cancellation that arrives before the sleep begins is not lost.
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

    /// Moves the clock forward and wakes up all tasks whose deadline has been reached.
    ///
    /// When a task wakes up, it reads the new time, and its next sleep is measured from that time.
    ///
    /// The method returns before the tasks have run. Tasks with earlier deadlines are resumed first.
    ///
    /// - Parameter duration: How far the clock advances. The clock never moves backwards.
    public func advance(by duration: Duration) {
        sleepers.withLock { $0.advance(by: duration) }.wake()
    }

    /// Calls a closure once the clock has advanced by the given duration.
    ///
    /// Timers don't count as sleeping tasks, so that a time limit doesn't disturb tests that wait for tasks
    /// to sleep.
    ///
    /// - Parameters:
    ///   - duration: The duration, measured from the time of the call.
    ///   - action: The closure, which is called by ``advance(by:)`` and must return quickly.
    /// - Returns: A closure that removes the timer, unless it has already fired.
    package func timer(
        after duration: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let ticket = sleepers.withLock { sleepers in
            let ticket = sleepers.ticket()
            sleepers.addTimer(ticket: ticket, after: duration, action: action)
            return ticket
        }
        return { [sleepers] in sleepers.withLock { $0.removeTimer(ticket) } }
    }

    /// The time until the first sleeping task wakes up, or `nil` if no task is sleeping.
    ///
    /// This includes background tasks.
    public var untilNextWake: Duration? {
        sleepers.withLock(\.untilNextWake)
    }

    /// Changes the wall clock without waking sleepers.
    ///
    /// Such a step occurs when a time server corrects the clock or when a virtual machine resumes. Several
    /// steps are added together, and ``uptime`` doesn't change.
    ///
    /// - Parameter duration: The size of the step, which is negative for a step backwards.
    public func stepWallClock(by duration: Duration) {
        sleepers.withLock { $0.step += duration }
    }

    /// Waits until enough tasks are sleeping on the clock.
    ///
    /// Returns immediately if the calling task is cancelled.
    ///
    /// Tasks that were already asleep before the call are counted.
    ///
    /// - Parameters:
    ///   - count: The minimum number of sleeping tasks.
    ///   - background: `true` to count only the tasks that sleep on the ``background`` clock, or `false` to
    ///     count only the other tasks.
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

/// A virtual clock for background workers.
///
/// Sleeping background tasks are counted separately from other tasks.
private struct BackgroundTime: TimeSource {
    let clock: VirtualTime

    var now: Timestamp { clock.now }

    var uptime: Duration { clock.uptime }

    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, inBackground: true)
    }
}
