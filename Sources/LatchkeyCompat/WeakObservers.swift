package import Latchkey

/// Weakly held observers that are called on the main actor in the order they were added.
///
/// Observers can be added and removed on any thread, even in their `init` and `deinit`. The weak reference to
/// an observer is only loaded on the main actor or while a caller holds the observer. Otherwise, another
/// thread could end up releasing the last reference and running the observer's `deinit`.
package final class WeakObservers<Observer>: Sendable {
    /// `@unchecked Sendable` is safe because the runtime synchronizes access to weak references, and all
    /// other properties are constants or are protected by a lock or the main actor.
    private final class Entry: @unchecked Sendable {
        let number: UInt64
        let load: () -> Observer?
        private let isRegistered = Locked(true)
        /// Whether the observer is notified of changes.
        ///
        /// The value is set by a job in the queue.
        @MainActor var isActive = false

        init(number: UInt64, load: @escaping () -> Observer?) {
            (self.number, self.load) = (number, load)
        }

        var wasRemoved: Bool { !isRegistered.withLock { $0 } }

        func remove() {
            isRegistered.withLock { $0 = false }
        }
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var count: UInt64 = 0
        /// The number of entries at which the entries of deallocated observers are removed.
        var pruningLimit = 16
    }

    private let state = Locked(State())
    private let queue: MainActorQueue

    /// Creates an empty list.
    ///
    /// Changes to the list share a queue with the notifications, which keeps them in order.
    package init(queue: MainActorQueue) {
        self.queue = queue
    }

    /// The number of entries, which may include entries of deallocated observers.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Adds an observer.
    ///
    /// Adding the same observer again has no effect.
    ///
    /// The observer is notified of all changes that are enqueued after this call.
    ///
    /// - Parameters:
    ///   - object: The observer, as an object that can be compared by identity.
    ///   - load: A closure that returns the observer, or `nil` if the observer has been deallocated. The
    ///     closure must not retain the observer.
    ///   - first: A closure that is called on the main actor before any other notification.
    package func add(
        _ object: AnyObject,
        load: @escaping () -> Observer?,
        first: @escaping @MainActor @Sendable (Observer) -> Void
    ) {
        let id = ObjectIdentifier(object)
        let (entry, prunes) = state.withLock { state -> (Entry?, Bool) in
            // The identifier of a deallocated object may be reused. If the identifiers are equal, the stored
            // observer is either the object that the caller holds or already deallocated, so it is safe to
            // load it here.
            if let known = state.entries[id] {
                guard known.load() == nil else { return (nil, false) }
                known.remove()
            }
            state.count += 1
            let entry = Entry(number: state.count, load: load)
            state.entries[id] = entry
            return (entry, state.entries.count > state.pruningLimit)
        }
        guard let entry else { return }
        queue.add {
            entry.isActive = true
            if !entry.wasRemoved, let observer = entry.load() { first(observer) }
        }
        if prunes { queue.add { self.prune() } }
    }

    /// Removes an observer.
    ///
    /// The observer is not notified again, even of changes that are already in the queue.
    ///
    /// - Parameter id: The identifier of the observer. The observer may currently be running its `deinit`.
    package func remove(_ id: ObjectIdentifier) {
        state.withLock { $0.entries.removeValue(forKey: id) }?.remove()
    }

    /// Calls the observers.
    ///
    /// This method must be called from a job in the queue.
    @MainActor package func notify(_ call: @MainActor (Observer) -> Void) {
        let entries = state.withLock { $0.entries.values.sorted { $0.number < $1.number } }
        for entry in entries where entry.isActive && !entry.wasRemoved {
            if let observer = entry.load() { call(observer) }
        }
    }

    /// Removes the entries of deallocated observers.
    @MainActor private func prune() {
        // Observers are loaded without holding the lock, because loading an observer may release it, and its
        // `deinit` may then remove the entry.
        let obsolete = state.withLock { $0.entries }.filter { $0.value.load() == nil }
        state.withLock { state in
            for (id, entry) in obsolete where state.entries[id] === entry { state.entries[id] = nil }
            state.pruningLimit = max(16, 2 * state.entries.count)
        }
    }
}
