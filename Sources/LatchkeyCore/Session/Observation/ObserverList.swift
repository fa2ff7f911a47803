/// Keeps an observer registered.
///
/// The observer is removed when its token is deallocated, so the token must have the lifetime of the object
/// that observes.
package final class ObserverToken: Sendable {
    fileprivate init() {}
}

/// The observers of one kind of event.
///
/// The owner must protect this value with a lock.
struct ObserverList<Event> {
    private struct Entry {
        // An entry holds its token weakly instead of being removed by the token's `deinit`, because the last
        // reference to a token may be released while the owner's lock is held.
        weak var token: ObserverToken?
        let call: @Sendable (Event) -> Void
    }

    private var entries: [Entry] = []

    /// The observers whose tokens still exist, in the order they were added.
    var current: [@Sendable (Event) -> Void] {
        entries.filter { $0.token != nil }.map(\.call)
    }

    /// The number of entries, which may include entries of observers that have been removed since the last
    /// one was added.
    var count: Int { entries.count }

    /// Adds an observer.
    ///
    /// - Parameter observer: The closure to call for each event. It must not hold objects strongly whose
    ///   `deinit` must not run under the owner's lock.
    /// - Returns: The token that keeps the observer registered.
    mutating func add(_ observer: @escaping @Sendable (Event) -> Void) -> ObserverToken {
        entries.removeAll { $0.token == nil }
        let token = ObserverToken()
        entries.append(Entry(token: token, call: observer))
        return token
    }
}
