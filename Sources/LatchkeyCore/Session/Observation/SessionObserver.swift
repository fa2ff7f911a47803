import LatchkeyModel

/// An object that is notified when this device's session changes.
///
/// Observers are held weakly.
///
/// A newly added observer is called with the current state as soon as that state is known, and then once for
/// every change. All observers see the changes in the same order.
@MainActor public protocol SessionObserver: AnyObject {
    /// Called on the main actor with the initial state and after every change.
    ///
    /// - Parameter state: The new state.
    func sessionDidChange(to state: SessionState)
}

/// Keeps track of a session's observers and notifies them.
///
/// Notifications are added to a queue under the lock that orders the changes, so all observers see the
/// changes in the same order.
///
/// An observer's weak reference is only loaded on the main actor. If another thread loaded the reference, it
/// could be the last one to release the observer, and would then run the observer's `deinit`.
final class SessionObservers: Sendable {
    /// It is safe to mark this as `@unchecked Sendable`, because ``observer`` is only set once and weak
    /// references are thread-safe.
    private final class Entry: @unchecked Sendable {
        private weak var observer: (any SessionObserver)?
        private let id: ObjectIdentifier
        private let isRegistered = Locked(true)

        init(_ observer: any SessionObserver) {
            self.observer = observer
            id = ObjectIdentifier(observer)
        }

        /// Returns whether the entry may belong to an observer.
        ///
        /// Only the identifiers are compared, so the result can be wrong if an object has the same identifier
        /// as a deallocated observer.
        func mayBe(of observer: any SessionObserver) -> Bool {
            id == ObjectIdentifier(observer) && !wasRemoved
        }

        /// Returns whether the entry belongs to the given observer.
        ///
        /// This is safe on any thread, because the loaded reference is either the caller's own object or
        /// `nil`.
        func isOf(_ observer: any SessionObserver) -> Bool {
            mayBe(of: observer) && self.observer != nil
        }

        var wasRemoved: Bool { !isRegistered.withLock { $0 } }

        @MainActor var isObsolete: Bool { wasRemoved || observer == nil }

        func remove() {
            isRegistered.withLock { $0 = false }
        }

        @MainActor func notify(of state: SessionState) {
            guard !wasRemoved else { return }
            observer?.sessionDidChange(to: state)
        }
    }

    private let queue = MainActorQueue()
    private let entries = Locked<[Entry]>([])

    /// Adds an observer.
    ///
    /// This has no effect if the observer has already been added.
    ///
    /// - Parameters:
    ///   - observer: The observer, which is held weakly.
    ///   - state: The initial state to call the observer with, or `nil` if the state isn't known yet.
    func add(_ observer: any SessionObserver, initialState state: SessionState?) {
        let entry = entries.withLock { entries -> Entry? in
            guard !entries.contains(where: { $0.isOf(observer) }) else { return nil }
            let entry = Entry(observer)
            entries.append(entry)
            return entry
        }
        guard let entry else { return }
        queue.add {
            if let state { entry.notify(of: state) }
            self.removeObsoleteEntries()
        }
    }

    /// Removes an observer.
    ///
    /// The observer isn't called again, not even for changes that are already in the queue.
    func remove(_ observer: any SessionObserver) {
        entries.withLock { entries in
            // We can't use `isOf` here, because the observer may be running its `deinit`.
            for entry in entries where entry.mayBe(of: observer) { entry.remove() }
            entries.removeAll { $0.wasRemoved }
        }
    }

    /// Notifies all current observers of a state, through the queue.
    func notify(of state: SessionState) {
        let entries = entries.withLock { $0 }
        guard !entries.isEmpty else { return }
        queue.add {
            for entry in entries { entry.notify(of: state) }
        }
    }

    /// Removes entries for observers that have been removed or deallocated.
    @MainActor private func removeObsoleteEntries() {
        // We do this without holding the lock, because an observer's `deinit` may call ``remove(_:)``.
        let obsolete = entries.withLock { $0 }.filter(\.isObsolete)
        guard !obsolete.isEmpty else { return }
        entries.withLock { entries in
            entries.removeAll { entry in obsolete.contains { $0 === entry } }
        }
    }
}
