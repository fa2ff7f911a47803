/// Those who are told about changes of the session: sequences of states, and observers inside the package.
///
/// Guarded by the lock around its owner, so that everybody hears of all changes in one order.
struct SessionBroadcast {
    private var streams: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
    private var observers: [@Sendable (SessionEvent) -> Void] = []
    private var tickets: UInt64 = 0

    mutating func add(_ stream: AsyncStream<SessionState>.Continuation) -> UInt64 {
        tickets += 1
        streams[tickets] = stream
        return tickets
    }

    mutating func removeStream(_ ticket: UInt64) {
        streams[ticket] = nil
    }

    /// Adds an observer; it is called under a lock and must only note what it is told.
    mutating func add(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        observers.append(observer)
    }

    func tell(_ event: SessionEvent?) {
        guard let event else { return }
        for stream in streams.values { stream.yield(event.state) }
        for observer in observers { observer(event) }
    }

    /// Takes the streams out, to finish them once the lock is free.
    mutating func close() -> [AsyncStream<SessionState>.Continuation] {
        defer { streams = [:] }
        return Array(streams.values)
    }
}
