import LatchkeyModel

/// The tasks that are sleeping on a virtual clock, the watchers that are waiting for a number of tasks to
/// sleep, and the timers.
///
/// The methods return continuations, which the caller resumes after releasing its lock.
struct VirtualSleepers {
    /// The continuation of a sleeping task.
    ///
    /// The continuation throws `CancellationError` if the sleep is cancelled.
    typealias Sleeper = CheckedContinuation<Void, any Error>
    /// The continuation of a task that waits for other tasks to sleep.
    ///
    /// If the wait is cancelled, the continuation is resumed without throwing.
    typealias Watcher = CheckedContinuation<Void, Never>

    /// The continuations to resume once the lock around this value has been released.
    ///
    /// Call ``wake()`` exactly once, because a continuation must not be resumed twice.
    struct Wakes {
        var sleepers: [Sleeper] = []
        var cancelled: [Sleeper] = []
        var watchers: [Watcher] = []
        var timers: [@Sendable () -> Void] = []

        /// Resumes the sleepers in the order of their deadlines, then the cancelled sleepers, then the
        /// watchers, and then calls the timers' closures.
        func wake() {
            for sleeper in sleepers { sleeper.resume() }
            for sleeper in cancelled { sleeper.resume(throwing: CancellationError()) }
            for watcher in watchers { watcher.resume() }
            for timer in timers { timer() }
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

    /// The clock's time, which isn't affected by changes to the wall clock.
    ///
    /// The clock never moves backwards.
    private(set) var now: Timestamp

    /// The difference between the wall clock and `now`.
    ///
    /// The difference doesn't affect when sleepers wake up.
    var step: Duration = .zero

    private var sleeps: [Sleep] = []
    private var timers: [Int: (deadline: Timestamp, action: @Sendable () -> Void)] = [:]
    private var watches: [Watch] = []
    private var cancelled: Set<Int> = []
    private var tickets = 0

    init(now: Timestamp) {
        self.now = now
    }

    /// The time until the first sleeper wakes up, or `nil` if no task is sleeping.
    var untilNextWake: Duration? {
        sleeps.map(\.deadline).min().map { $0 - now }
    }

    /// Returns a ticket for a wait that hasn't begun yet.
    ///
    /// The ticket makes it possible to cancel the wait before it begins. Tickets are unique across sleepers
    /// and watchers.
    mutating func ticket() -> Int {
        tickets += 1
        return tickets
    }

    /// Adds a sleeping task, or returns the task if it has already been cancelled and must be resumed.
    ///
    /// Sleepers with the same deadline wake up in the order they were added.
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

    /// Adds a watcher, or returns the watcher if enough tasks are already sleeping.
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

    /// Adds a timer, which is not counted as a sleeping task.
    mutating func addTimer(
        ticket: Int,
        after duration: Duration,
        action: @escaping @Sendable () -> Void
    ) {
        timers[ticket] = (now + duration, action)
    }

    /// Removes a timer, unless it has already fired.
    mutating func removeTimer(_ ticket: Int) {
        timers[ticket] = nil
    }

    /// Cancels the wait with the given ticket.
    mutating func cancel(_ ticket: Int) -> Wakes {
        if let place = sleeps.firstIndex(where: { $0.ticket == ticket }) {
            return Wakes(cancelled: [sleeps.remove(at: place).sleeper])
        }
        if let place = watches.firstIndex(where: { $0.ticket == ticket }) {
            return Wakes(watchers: [watches.remove(at: place).watcher])
        }
        // The wait either hasn't begun or has already ended. In the latter case the entry is harmless,
        // because tickets are never reused.
        cancelled.insert(ticket)
        return Wakes()
    }

    /// Moves the clock forward and returns the sleepers that are due, ordered by deadline, and the timers.
    ///
    /// A negative duration doesn't change the time.
    mutating func advance(by duration: Duration) -> Wakes {
        now = max(now, now + duration)
        let due = sleeps.prefix { $0.deadline <= now }
        sleeps.removeFirst(due.count)
        let fired = timers.filter { $0.value.deadline <= now }
        for ticket in fired.keys { timers[ticket] = nil }
        return Wakes(sleepers: due.map(\.sleeper), timers: fired.values.map(\.action))
    }

    /// Removes and returns the watchers whose required number of sleeping tasks has been reached.
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
