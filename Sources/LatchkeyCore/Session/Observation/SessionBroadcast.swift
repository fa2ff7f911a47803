/// The subscribers to session changes: streams of states, and observers inside the package.
///
/// Guarded by its owner's lock, so that all subscribers see all changes in the same order.
struct SessionBroadcast {
    /// The last state that was broadcast, reduced to the properties that are visible to an app.
    private enum Published: Equatable {
        case initial
        case unavailable(SessionStoreError.Code?)
        case signedOut
        case signedIn(login: UInt32, UserSession)

        var login: UInt32? {
            if case .signedIn(let login, _) = self { login } else { nil }
        }
    }

    private var published = Published.initial
    private var streams: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
    private var observers: [@Sendable (SessionEvent) -> Void] = []
    private var tickets: UInt64 = 0
    private let objects = SessionObservers()

    /// Adds a stream, and returns the number that identifies it for removal.
    mutating func add(_ stream: AsyncStream<SessionState>.Continuation) -> UInt64 {
        tickets += 1
        streams[tickets] = stream
        return tickets
    }

    mutating func removeStream(_ ticket: UInt64) {
        streams[ticket] = nil
    }

    /// Adds an observer.
    ///
    /// - Parameter observer: Called under the owner's lock; it must only record the event and return.
    mutating func add(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        observers.append(observer)
    }

    /// Adds an observer object, which is held weakly.
    ///
    /// - Parameters:
    ///   - observer: Called on the main actor with the current state, if it is known, and with every change.
    ///   - state: The current state, or `nil` if it is not known yet.
    func add(_ observer: any SessionObserver, initialState state: SessionState?) {
        objects.add(observer, initialState: state)
    }

    func remove(_ observer: any SessionObserver) {
        objects.remove(observer)
    }

    /// Broadcasts a state, unless an app could not tell it from the last one.
    ///
    /// - Parameters:
    ///   - state: The new state.
    ///   - login: The number of the login, which identifies a new session; `nil` if there is no session.
    mutating func publish(_ state: SessionState, login: UInt32?) {
        let former = published
        published =
            switch state {
            case .signedIn(let session): .signedIn(login: login ?? 0, session)
            case .signedOut: .signedOut
            case .unavailable(.store(let error)): .unavailable(error.code)
            case .unavailable(.notReadYet): .unavailable(nil)
            }
        guard published != former else { return }
        let event = SessionEvent(state: state, isNewSession: login != nil && login != former.login)
        for stream in streams.values { stream.yield(event.state) }
        for observer in observers { observer(event) }
        objects.notify(of: event.state)
    }

    /// Removes and returns all streams; the caller finishes them after releasing the lock.
    mutating func close() -> [AsyncStream<SessionState>.Continuation] {
        defer { streams = [:] }
        return Array(streams.values)
    }
}
