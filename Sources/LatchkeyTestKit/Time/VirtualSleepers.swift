import LatchkeyModel

/// Who sleeps on a virtual clock and who waits for sleepers; decides whom to wake and wakes nobody itself.
struct VirtualSleepers {
    typealias Sleeper = CheckedContinuation<Void, any Error>
    typealias Watcher = CheckedContinuation<Void, Never>

    /// Whom to wake, once the lock around this value is free.
    struct Wakes {
        var sleepers: [Sleeper] = []
        var cancelled: [Sleeper] = []
        var watchers: [Watcher] = []

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

    private(set) var now: Timestamp

    /// How far the wall clock is ahead of `now`, by which tasks sleep.
    var step: Duration = .zero

    private var sleeps: [Sleep] = []
    private var watches: [Watch] = []
    private var cancelled: Set<Int> = []
    private var tickets = 0

    init(now: Timestamp) {
        self.now = now
    }

    /// How long until the first of the sleepers wakes.
    var untilNextWake: Duration? {
        sleeps.map(\.deadline).min().map { $0 - now }
    }

    /// Names a wait before it begins, so that a cancellation can come first.
    mutating func ticket() -> Int {
        tickets += 1
        return tickets
    }

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

    mutating func cancel(_ ticket: Int) -> Wakes {
        if let place = sleeps.firstIndex(where: { $0.ticket == ticket }) {
            return Wakes(cancelled: [sleeps.remove(at: place).sleeper])
        }
        if let place = watches.firstIndex(where: { $0.ticket == ticket }) {
            return Wakes(watchers: [watches.remove(at: place).watcher])
        }
        // Not there yet, or over already; a ticket that is over is never asked for again.
        cancelled.insert(ticket)
        return Wakes()
    }

    mutating func advance(by duration: Duration) -> Wakes {
        now = max(now, now + duration)
        let due = sleeps.prefix { $0.deadline <= now }
        sleeps.removeFirst(due.count)
        return Wakes(sleepers: due.map(\.sleeper))
    }

    private mutating func satisfiedWatchers() -> [Watcher] {
        let background = sleeps.count { $0.isInBackground }
        let foreground = sleeps.count - background
        let place = watches.partition { $0.count <= ($0.isForBackground ? background : foreground) }
        let satisfied = watches[place...].map(\.watcher)
        watches.removeSubrange(place...)
        return satisfied
    }
}
