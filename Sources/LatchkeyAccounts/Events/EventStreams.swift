import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The open event streams and waiting polls of a node.
///
/// This class limits the number of streams and polls. An account can only have a few of them, and if all
/// accounts together have too many, the account with the most has to close one. It also wakes each of them
/// when its next check is due. A single task wakes all streams and polls, because a timer per stream would
/// need more memory than the stream itself.
final class EventStreams: Sendable {
    /// How often we check whether streams are due.
    private static let tick: Duration = .seconds(1)
    /// How long to wait before repeating a failed read.
    private static let repetition: Duration = .seconds(5)
    /// How long streams wait after a change of the rules for duties, so that all nodes have read the new rules.
    private static let delay: Duration = ClientRegistry.lifespan + .seconds(1)

    private struct Entry {
        let subscription: BroadcastSubscription
        let session: Identifier
        let identity: Identifier
        /// When the session or the token expires.
        var deadline: Timestamp
        /// When the poll ends, on the monotonic clock, or `nil` for a stream.
        ///
        /// If the wall clock is set back, a poll must not hold on to its connection until the clock has
        /// caught up.
        let end: Duration?
        /// When the next comment is due, on the monotonic clock.
        ///
        /// The value is `nil` for polls.
        var nextHeartbeat: Duration?
        /// When to read the state again even if no change was published, on the monotonic clock.
        var nextCheck: Duration
        /// When to read the state again because the rules for duties have changed, on the monotonic clock.
        ///
        /// Reading the state for another reason doesn't postpone this.
        var dutyCheck: Duration?
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var numbers: UInt64 = 0
        var bySession: [Identifier: Int] = [:]
        var accounts = StreamRanking()
        var ticker: Task<Void, Never>?
        /// The subscription to changes of the rules for duties, which exists as long as there are streams.
        var dutyRules: BroadcastSubscription?
        var isClosed = false

        mutating func remove(_ number: UInt64) -> Entry? {
            guard let entry = entries.removeValue(forKey: number) else { return nil }
            let count = bySession[entry.session, default: 1] - 1
            bySession[entry.session] = count > 0 ? count : nil
            accounts.remove(number, of: entry.identity)
            return entry
        }
    }

    private let broadcast: Broadcast
    private let settings: EventSettings
    private let limit: Int
    private let metrics: EventMetrics
    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Locked(State())

    init(
        broadcast: Broadcast,
        settings: EventSettings,
        limit: Int,
        metrics: EventMetrics,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.broadcast, self.settings, self.limit, self.metrics) = (broadcast, settings, limit, metrics)
        (self.time, self.random) = (time, random)
    }

    deinit {
        let (ticker, dutyRules) = state.withLock { ($0.ticker, $0.dutyRules) }
        ticker?.cancel()
        if let dutyRules { broadcast.unsubscribe(dutyRules) }
    }

    /// Opens a stream or a poll and subscribes it to changes to its session.
    ///
    /// If there are too many streams, the oldest stream of the account with the most streams is closed. This
    /// is the account's own stream if it would otherwise have more than any other account, so an account
    /// can't displace the streams of accounts that have fewer.
    ///
    /// - Parameters:
    ///   - session: The session to follow.
    ///   - topics: The topics to subscribe to, in addition to those of the session and its identity.
    ///   - end: The uptime at which a poll ends, or `nil` for a stream.
    /// - Returns: The stream. The stream is closed when it is deallocated.
    /// - Throws: ``ServerError`` with status 429 if the session or the account has too many streams, or 503
    ///   if the server is stopping.
    func open(
        for session: Session,
        topics: [BroadcastTopic],
        until end: Duration?
    ) throws(ServerError) -> EventStream {
        let all = [.session(session.id), .identity(session.identityID)] + topics
        // Check the limits before subscribing, because a subscription takes memory.
        let (stream, displaced) = try state.withLock { state throws(ServerError) -> (EventStream, Entry?) in
            guard !state.isClosed else { throw .overloaded(retryAfter: pause(5..<30)) }
            guard state.bySession[session.id, default: 0] < settings.perSession else {
                throw Self.refusal("The session has too many open event streams.", after: pause(10..<60))
            }
            guard state.accounts.count(of: session.identityID) < settings.perAccount else {
                throw Self.refusal("The account has too many open event streams.", after: pause(10..<60))
            }
            var displaced: Entry?
            if state.entries.count >= limit, let number = state.accounts.displaced(by: session.identityID) {
                displaced = state.remove(number)
            }
            state.numbers += 1
            state.bySession[session.id, default: 0] += 1
            state.accounts.add(state.numbers, of: session.identityID)
            let uptime = time.uptime
            let subscription = broadcast.subscribe(to: all)
            state.entries[state.numbers] = Entry(
                subscription: subscription,
                session: session.id,
                identity: session.identityID,
                deadline: session.expiresAt,
                end: end,
                nextHeartbeat: end == nil ? uptime + varied(settings.heartbeat) : nil,
                nextCheck: uptime + varied(settings.checkInterval)
            )
            if state.dutyRules == nil { state.dutyRules = broadcast.subscribe(to: [.dutyRules]) }
            if state.ticker == nil { state.ticker = startTicker() }
            metrics.record(streams: state.entries.count)
            return (EventStream(number: state.numbers, subscription: subscription, of: self), displaced)
        }
        if let displaced { broadcast.unsubscribe(displaced.subscription) }
        return stream
    }

    /// The number of open streams and waiting polls.
    var count: Int { state.withLock { $0.entries.count } }

    /// Ends all open streams and rejects new ones, so that clients reconnect to another node.
    func close() {
        let (entries, ticker, dutyRules) = state.withLock { state in
            state.isClosed = true
            defer { state.dutyRules = nil }
            return (Array(state.entries.values), state.ticker, state.dutyRules)
        }
        ticker?.cancel()
        if let dutyRules { broadcast.unsubscribe(dutyRules) }
        for entry in entries { entry.subscription.end() }
    }

    /// Sets a stream's deadline and schedules its next check, after the state of its session has been read.
    fileprivate func schedule(_ number: UInt64, deadline: Timestamp) {
        let check = time.uptime + varied(settings.checkInterval)
        state.withLock { state in
            state.entries[number]?.deadline = deadline
            state.entries[number]?.nextCheck = check
        }
    }

    /// Wakes a stream again after a short delay because its session's state couldn't be read.
    fileprivate func scheduleRepetition(_ number: UInt64) {
        let check = time.uptime + varied(Self.repetition)
        state.withLock { $0.entries[number]?.nextCheck = check }
    }

    fileprivate func remove(_ number: UInt64) {
        let ended = state.withLock { state -> [BroadcastSubscription] in
            guard let entry = state.remove(number) else { return [] }
            metrics.record(streams: state.entries.count)
            guard state.entries.isEmpty, let dutyRules = state.dutyRules else { return [entry.subscription] }
            state.dutyRules = nil
            return [entry.subscription, dutyRules]
        }
        for subscription in ended { broadcast.unsubscribe(subscription) }
    }

    // MARK: Times

    /// Starts the task that wakes streams.
    ///
    /// The task stops when there are no streams left.
    private func startTicker() -> Task<Void, Never> {
        Task { [weak self, time] in
            while !Task.isCancelled {
                do { try await time.sleep(for: Self.tick) } catch { return }
                guard self?.wakeDue() == true else { return }
            }
        }
    }

    /// Wakes all streams that are due, and returns whether any streams are open.
    private func wakeDue() -> Bool {
        let (now, uptime) = (time.now, time.uptime)
        let due = state.withLock { state -> [(BroadcastSubscription, BroadcastSignals)]? in
            guard !state.entries.isEmpty else {
                state.ticker = nil
                return nil
            }
            if state.dutyRules?.take().contains(.published) == true {
                spreadChecks(&state.entries, at: uptime)
            }
            var due: [(BroadcastSubscription, BroadcastSignals)] = []
            for (number, entry) in state.entries {
                var signals: BroadcastSignals = []
                if entry.deadline <= now || entry.end.map({ $0 <= uptime }) == true {
                    signals.insert(.deadline)
                }
                if entry.nextCheck <= uptime {
                    signals.insert(.deadline)
                    state.entries[number]?.nextCheck = uptime + varied(settings.checkInterval)
                }
                if let check = entry.dutyCheck, check <= uptime {
                    signals.insert(.deadline)
                    state.entries[number]?.dutyCheck = nil
                }
                if let heartbeat = entry.nextHeartbeat, heartbeat <= uptime {
                    signals.insert(.heartbeat)
                    state.entries[number]?.nextHeartbeat = uptime + varied(settings.heartbeat)
                }
                if !signals.isEmpty { due.append((entry.subscription, signals)) }
            }
            return due
        }
        guard let due else { return false }
        for (subscription, signals) in due { subscription.signal(signals) }
        return true
    }

    /// Lets all streams read their state, each at a random time, so that their clients don't all send requests at once.
    ///
    /// A stream that waits for an earlier change waits at most once more, so repeated changes can't postpone its check
    /// forever or cause more checks.
    private func spreadChecks(_ entries: inout [UInt64: Entry], at uptime: Duration) {
        let earliest = uptime + Self.delay
        for (number, entry) in entries where entry.dutyCheck.map({ $0 < earliest }) ?? true {
            entries[number]?.dutyCheck = random.duration(in: earliest..<earliest + settings.spread)
        }
    }

    /// Returns a random duration that differs from the given one by at most 20 %.
    private func varied(_ duration: Duration) -> Duration {
        random.duration(in: duration * 4 / 5..<duration * 6 / 5)
    }

    /// Returns a random number of seconds in the given range.
    private func pause(_ range: Range<Int64>) -> Int {
        Int(random.duration(in: .seconds(range.lowerBound) ..< .seconds(range.upperBound)).components.seconds)
    }

    /// Returns the error for a poll that was closed in favor of another account's stream.
    ///
    /// If such a poll returned an empty list, its client would poll again at once and displace the next one.
    fileprivate func displacement(of number: UInt64) -> ServerError? {
        guard state.withLock({ $0.entries[number] == nil }) else { return nil }
        return Self.refusal("There are too many open event streams.", after: pause(10..<60))
    }

    private static func refusal(_ reason: String, after seconds: Int) -> ServerError {
        ServerError(429, id: .tooManyRequests, reason: reason, retryAfter: seconds)
    }
}

/// An open stream or a waiting poll.
///
/// Deallocating an open stream closes it.
final class EventStream: Sendable {
    private let number: UInt64
    private let subscription: BroadcastSubscription
    private let streams: EventStreams

    fileprivate init(number: UInt64, subscription: BroadcastSubscription, of streams: EventStreams) {
        (self.number, self.subscription, self.streams) = (number, subscription, streams)
    }

    deinit {
        close()
    }

    /// Closes the stream so that it no longer counts towards the limits.
    ///
    /// Closing the stream again has no effect.
    func close() {
        streams.remove(number)
    }

    /// Waits until the session's state may have changed or a comment is due.
    ///
    /// Returns `nil` when the stream must end.
    func next() async -> BroadcastSignals? {
        await subscription.next()
    }

    /// The error to respond with if the stream was closed in favor of another one, or `nil` if it wasn't.
    var displacement: ServerError? { streams.displacement(of: number) }

    /// Sets the time at which the stream is woken even if no change was published.
    func schedule(deadline: Timestamp) {
        streams.schedule(number, deadline: deadline)
    }

    /// Schedules another attempt to read the session's state after a read has failed.
    func scheduleRepetition() {
        streams.scheduleRepetition(number)
    }
}
