import LatchkeyModel

/// The tasks that sleep on a virtual clock, and the watchers that wait until enough tasks sleep.
///
/// The methods return the continuations to resume, which the caller resumes after releasing the lock.
struct VirtualSleepers {
    /// The continuation of a task that sleeps, which throws `CancellationError` if the sleep is cancelled.
    typealias Sleeper = CheckedContinuation<Void, any Error>
    /// The continuation of a task that waits for sleeping tasks; cancellation resumes it normally, without
    /// throwing.
    typealias Watcher = CheckedContinuation<Void, Never>

    /// The continuations to resume once the lock around this value is released.
    ///
    /// ``wake()`` must be called exactly once, because a continuation must not be resumed twice.
    struct Wakes {
        var sleepers: [Sleeper] = []
        var cancelled: [Sleeper] = []
        var watchers: [Watcher] = []

        /// Resumes the sleepers in the order of their deadlines, then the cancelled ones, and then the
        /// watchers.
        func wake() {
            for sleeper in sleepers { sleeper.resume() }
            for sleeper in cancelled { sleeper.resume(throwing: CancellationError()) }
            for watcher in watchers { watcher.resume() }
        }
    }

    private struct Sleep {
        let ticket: Int
        let deadline: Timestamp
        let isInBackground: Bool
        let sleeper: Sleeper
    }

    private struct Watch {
        let ticket: Int
        let count: Int
        let isForBackground: Bool
        let watcher: Watcher
    }

    /// The time of the clock, without the steps of the wall clock; it never moves backwards.
    private(set) var now: Timestamp

    /// The difference between the wall clock and `now`, which does not affect when sleepers wake.
    var step: Duration = .zero

    private var sleeps: [Sleep] = []
    private var watches: [Watch] = []
    private var cancelled: Set<Int> = []
    private var tickets = 0

    /// Creates a clock without sleepers or watchers.
    init(now: Timestamp) {
        self.now = now
    }

    /// The time until the first sleeper wakes; `nil` if no task sleeps.
    var untilNextWake: Duration? {
        sleeps.map(\.deadline).min().map { $0 - now }
    }

    /// Returns a ticket for a wait that has not begun yet.
    ///
    /// With the ticket, the wait can be cancelled before it begins.
    ///
    /// Sleepers and watchers share one sequence of tickets.
    mutating func ticket() -> Int {
        tickets += 1
        return tickets
    }

    /// Adds a sleeping task, or returns it for resumption if it has already been cancelled.
    ///
    /// Sleepers with the same deadline wake in the order in which they were added.
    mutating func add(
        _ sleeper: Sleeper,
        ticket: Int,
        for duration: Duration,
        inBackground isInBackground: Bool
    ) -> Wakes {
        guard cancelled.remove(ticket) == nil else { return Wakes(cancelled: [sleeper]) }
        let deadline = now + duration
        let place = sleeps.firstIndex { deadline < $0.deadline } ?? sleeps.endIndex
        let sleep = Sleep(
            ticket: ticket,
            deadline: deadline,
            isInBackground: isInBackground,
            sleeper: sleeper
        )
        sleeps.insert(sleep, at: place)
        return Wakes(watchers: satisfiedWatchers())
    }

    /// Adds a watcher, or returns it for resumption if `count` tasks already sleep.
    mutating func add(
        _ watcher: Watcher,
        ticket: Int,
        count: Int,
        inBackground isForBackground: Bool
    ) -> Wakes {
        guard cancelled.remove(ticket) == nil else { return Wakes(watchers: [watcher]) }
        let watch = Watch(ticket: ticket, count: count, isForBackground: isForBackground, watcher: watcher)
        watches.append(watch)
        return Wakes(watchers: satisfiedWatchers())
    }

    /// Cancels the wait with the given ticket.
    mutating func cancel(_ ticket: Int) -> Wakes {
        if let place = sleeps.firstIndex(where: { $0.ticket == ticket }) {
            return Wakes(cancelled: [sleeps.remove(at: place).sleeper])
        }
        if let place = watches.firstIndex(where: { $0.ticket == ticket }) {
            return Wakes(watchers: [watches.remove(at: place).watcher])
        }
        // The wait has not begun or has already ended. In the latter case, the entry is harmless, because
        // tickets are never reused.
        cancelled.insert(ticket)
        return Wakes()
    }

    /// Moves the clock forward and returns the sleepers that are due, ordered by deadline.
    ///
    /// A negative duration does not change the time.
    mutating func advance(by duration: Duration) -> Wakes {
        now = max(now, now + duration)
        let due = sleeps.prefix { $0.deadline <= now }
        sleeps.removeFirst(due.count)
        return Wakes(sleepers: due.map(\.sleeper))
    }

    /// Removes and returns the watchers that were waiting for at most the current number of sleeping tasks.
    ///
    /// Foreground and background sleepers are counted separately.
    private mutating func satisfiedWatchers() -> [Watcher] {
        let background = sleeps.count { $0.isInBackground }
        let foreground = sleeps.count - background
        let place = watches.partition { $0.count <= ($0.isForBackground ? background : foreground) }
        let satisfied = watches[place...].map(\.watcher)
        watches.removeSubrange(place...)
        return satisfied
    }
}
