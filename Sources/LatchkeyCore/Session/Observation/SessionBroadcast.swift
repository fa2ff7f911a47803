/// Delivers session changes to all subscribers, which are streams of states and observers inside the package.
///
/// The owner must protect this value with a lock, so that all subscribers see the changes in the same order.
struct SessionBroadcast {
    /// The most recent state that was published, reduced to the properties that are visible to the app.
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
    private(set) var observers = ObserverList<SessionEvent>()
    private var tickets: UInt64 = 0
    private let objects = SessionObservers()

    /// Adds a stream and returns a number for removing it later.
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
    /// - Parameter observer: A closure that is called while the owner's lock is held. It should only store
    ///   the event.
    /// - Returns: The token that keeps the observer registered.
    mutating func add(_ observer: @escaping @Sendable (SessionEvent) -> Void) -> ObserverToken {
        observers.add(observer)
    }

    /// Adds an observer object.
    ///
    /// The object is held weakly.
    ///
    /// - Parameters:
    ///   - observer: The object, which is called on the main actor with the current state (if it is known)
    ///     and then with every change.
    ///   - state: The current state, or `nil` if it isn't known yet.
    func add(_ observer: any SessionObserver, initialState state: SessionState?) {
        objects.add(observer, initialState: state)
    }

    func remove(_ observer: any SessionObserver) {
        objects.remove(observer)
    }

    /// Publishes a state if it differs from the previous one in a way that apps can observe.
    ///
    /// - Parameters:
    ///   - state: The new state.
    ///   - login: The number of the login, or `nil` if there is no session. If the number has changed, the
    ///     session is a new one.
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
        for observer in observers.current { observer(event) }
        objects.notify(of: event.state)
    }

    /// Removes and returns all streams.
    ///
    /// The caller must finish the streams after releasing the lock.
    mutating func close() -> [AsyncStream<SessionState>.Continuation] {
        defer { streams = [:] }
        return Array(streams.values)
    }
}
