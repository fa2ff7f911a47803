/// Those who are told about changes of the session: sequences of states, and observers inside the package.
///
/// Guarded by the lock around its owner, so that everybody hears of all changes in one order.
struct SessionBroadcast {
    /// What everybody has been told, as far as an app can tell states from one another.
    private enum Told: Equatable {
        case nothing
        case unavailable(SessionStoreError.Code?)
        case signedOut
        case signedIn(login: UInt32, Session)

        var login: UInt32? {
            if case .signedIn(let login, _) = self { login } else { nil }
        }
    }

    private var told = Told.nothing
    private var streams: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
    private var observers: [@Sendable (SessionEvent) -> Void] = []
    private var tickets: UInt64 = 0
    private let objects = SessionObservers()

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

    /// Adds an object that observes; it is told the state, if there is one, and every change after that.
    func add(_ observer: any SessionObserver, telling state: SessionState?) {
        objects.add(observer, telling: state)
    }

    func remove(_ observer: any SessionObserver) {
        objects.remove(observer)
    }

    /// Tells of a state, unless it looks like the one before.
    mutating func tell(_ state: SessionState, login: UInt32?) {
        let former = told
        told =
            switch state {
            case .signedIn(let session): .signedIn(login: login ?? 0, session)
            case .signedOut: .signedOut
            case .unavailable(.store(let error)): .unavailable(error.code)
            case .unavailable(.notReadYet): .unavailable(nil)
            }
        guard told != former else { return }
        let event = SessionEvent(state: state, isNewSession: login != nil && login != former.login)
        for stream in streams.values { stream.yield(event.state) }
        for observer in observers { observer(event) }
        objects.tell(event.state)
    }

    /// Takes the streams out, to finish them once the lock is free.
    mutating func close() -> [AsyncStream<SessionState>.Continuation] {
        defer { streams = [:] }
        return Array(streams.values)
    }
}
