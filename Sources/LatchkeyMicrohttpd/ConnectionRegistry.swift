import LatchkeyModel

/// A registry of all open connections.
///
/// The registry enforces limits and timeouts, and it closes connections when the server stops.
///
/// A connection is removed before the library closes its descriptor. The registry removes connections and
/// shuts down descriptors while holding the same lock, so a reused descriptor is never shut down by mistake.
final class ConnectionRegistry: Sendable {
    /// A connection, the generation of its phase at the last sweep, and the time of the first sweep that
    /// found that generation.
    private struct Entry {
        let connection: any ServedConnection
        var generation: UInt64 = 0
        var since: ContinuousClock.Instant?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of connections that were passed to the library and are still open.
        var admitted = 0
        /// The number of connections from each network.
        var counts: [ClientNetwork: Int] = [:]
        var isDraining = false
        var isAbandoned = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    private let total: Int
    private let limit: Int

    /// Creates a registry.
    ///
    /// - Parameters:
    ///   - total: The maximum number of open connections.
    ///   - limit: The maximum number of connections from one address, or 0 for no limit.
    init(total: Int, perAddress limit: Int) {
        self.total = total
        self.limit = limit
    }

    /// Reserves a slot for a connection that is about to be passed to the library.
    ///
    /// Returns `false` if there are too many connections.
    func admit() -> Bool {
        state.withLock { state in
            guard state.admitted < total else { return false }
            state.admitted += 1
            return true
        }
    }

    /// Undoes a call to ``admit()`` after the library has refused the connection.
    func release() {
        state.withLock { $0.admitted -= 1 }
    }

    /// Adds a connection.
    ///
    /// The connection is closed immediately if one of its networks has too many connections.
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

    /// Replaces a connection with the stream that has taken over its socket.
    ///
    /// From then on, the registry tracks the stream instead of the connection.
    func replace(_ connection: Connection, by stream: DetachedStream) {
        state.withLock { state in
            state.entries[ObjectIdentifier(connection)] = nil
            state.entries[ObjectIdentifier(stream)] = Entry(connection: stream)
            if state.isDraining { stream.drain() }
            if state.isAbandoned { stream.abandon() }
        }
    }

    /// Removes a connection that is about to be closed.
    ///
    /// If the server is stopping and this was the last connection, the waiting closures are called.
    ///
    /// This method has no effect if the connection was replaced.
    func remove(_ connection: any ServedConnection) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard state.entries.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return [] }
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

    /// Closes connections that have been in the same phase for too long.
    ///
    /// Connections don't record when they entered a phase. Instead, the time in a phase is measured from the
    /// first sweep that finds the connection in that phase. This adds no cost to requests, and a connection
    /// is closed at most one sweep interval late.
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

    /// The number of open connections.
    var count: Int {
        state.withLock { $0.entries.count }
    }

    /// The phases of all connections, in no particular order.
    var phases: [ConnectionPhase] {
        state.withLock { $0.entries.values.map(\.connection.progress.phase) }
    }

    /// Closes idle connections immediately and all others after their current request.
    func drain() {
        state.withLock { state in
            state.isDraining = true
            for entry in state.entries.values { entry.connection.drain() }
        }
    }

    /// Responds with 503 to all requests that are waiting for a handler and to any further requests, and
    /// closes connections with incomplete requests.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            for entry in state.entries.values { entry.connection.abandon() }
        }
    }

    /// Closes all connections immediately.
    func cut() {
        state.withLock { state in
            for entry in state.entries.values { entry.connection.cut() }
        }
    }

    /// Calls a closure once all connections are closed, or immediately if there are none.
    func whenEmpty(_ body: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { state in
            if !state.entries.isEmpty { state.waiting.append(body) }
            return state.entries.isEmpty
        }
        if isEmpty { body() }
    }
}
