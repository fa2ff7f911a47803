import LatchkeyModel

/// All open connections, for what concerns them together: deadlines, and stopping.
///
/// A connection leaves before the library closes its descriptor and under the same lock that a sweep holds, so no
/// descriptor is shut down that has become somebody else's.
final class ConnectionRegistry: Sendable {
    private struct Entry {
        let connection: Connection
        var generation: UInt64 = 0
        var since: ContinuousClock.Instant?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// How many connections were handed to the library and are not closed.
        var admitted = 0
        /// How many connections each network has.
        var counts: [ClientNetwork: Int] = [:]
        var isDraining = false
        var isAbandoned = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    private let total: Int
    private let limit: Int

    /// - Parameters:
    ///   - total: How many connections may be open.
    ///   - limit: How many of them one address may have; 0 for any number.
    init(total: Int, perAddress limit: Int) {
        self.total = total
        self.limit = limit
    }

    /// Counts a connection that is about to be handed to the library; false when there are too many.
    func admit() -> Bool {
        state.withLock { state in
            guard state.admitted < total else { return false }
            state.admitted += 1
            return true
        }
    }

    /// Gives the place of a connection back that the library did not take.
    func giveBack() {
        state.withLock { $0.admitted -= 1 }
    }

    /// Notes a connection, and ends it at once if its address has too many.
    func insert(_ connection: Connection) {
        state.withLock { state in
            for network in connection.networks {
                let count = state.counts[network, default: 0] + 1
                state.counts[network] = count
                if limit > 0, count > limit * network.share { connection.cut() }
            }
            state.entries[ObjectIdentifier(connection)] = Entry(connection: connection)
            if state.isDraining { connection.drain() }
            if state.isAbandoned { connection.abandon() }
        }
    }

    func remove(_ connection: Connection) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.entries[ObjectIdentifier(connection)] = nil
            state.admitted -= 1
            for network in connection.networks {
                let count = state.counts[network, default: 1] - 1
                state.counts[network] = count > 0 ? count : nil
            }
            guard state.isDraining, state.entries.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Ends connections that have been in one phase for too long.
    ///
    /// The connections keep no time themselves: a phase counts from the sweep that first saw it, which is late by one
    /// interval between sweeps at most and costs a request nothing.
    func sweep(now: ContinuousClock.Instant, limit: (ConnectionPhase) -> Duration?) {
        state.withLock { state in
            for id in state.entries.keys {
                guard var entry = state.entries[id] else { continue }
                let (phase, generation) = entry.connection.progress
                if let since = entry.since, entry.generation == generation {
                    if let limit = limit(phase), now - since > limit { entry.connection.cut() }
                } else {
                    entry.since = now
                    entry.generation = generation
                    state.entries[id] = entry
                }
            }
        }
    }

    /// How many connections are open.
    var count: Int {
        state.withLock { $0.entries.count }
    }

    /// What each connection waits for, in no order.
    var phases: [ConnectionPhase] {
        state.withLock { $0.entries.values.map(\.connection.progress.phase) }
    }

    /// Lets every connection end with the request it is at.
    func drain() {
        state.withLock { state in
            state.isDraining = true
            for entry in state.entries.values { entry.connection.drain() }
        }
    }

    /// Answers all requests that wait for a handler, and from now on every one that would; ends those half sent.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            for entry in state.entries.values { entry.connection.abandon() }
        }
    }

    /// Ends all connections.
    func cut() {
        state.withLock { state in
            for entry in state.entries.values { entry.connection.cut() }
        }
    }

    /// Calls back once no connection is left; at once, if that is now.
    func whenEmpty(_ body: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { state in
            if !state.entries.isEmpty { state.waiting.append(body) }
            return state.entries.isEmpty
        }
        if isEmpty { body() }
    }
}
