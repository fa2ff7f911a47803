import LatchkeyModel

/// An observer of this device's session; held weakly.
///
/// When added, it is called with the current state as soon as that is known, and then once for every change.
/// All observers see the changes in the same order.
@MainActor public protocol SessionObserver: AnyObject {
    /// Called on the main actor for every state.
    ///
    /// - Parameter state: The new state.
    func sessionDidChange(to state: SessionState)
}

/// The observers of a session.
///
/// Notifications are enqueued under the lock that orders the changes, so that all observers see the changes
/// in the same order.
///
/// The weak reference to an observer is loaded only on the main actor. If another thread loaded it, that
/// thread could release the last reference and run the observer's `deinit`.
final class SessionObservers: Sendable {
    /// `@unchecked Sendable`: the runtime guards weak references, and ``observer`` is assigned once.
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
        /// Compares only identifiers: another object may have the same identifier as a deallocated observer.
        func mayBe(of observer: any SessionObserver) -> Bool {
            id == ObjectIdentifier(observer) && !wasRemoved
        }

        /// Returns whether the entry belongs to an observer that the caller holds.
        ///
        /// Safe on every thread: the reference that is loaded is either the caller's own object or `nil`.
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

    /// Adds an observer; has no effect if it has already been added.
    ///
    /// - Parameters:
    ///   - observer: The observer, which is held weakly.
    ///   - state: The first state to call the observer with, or `nil` if it is not known yet.
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

    /// Removes an observer; it is not called again, not even for changes that are waiting in the queue.
    func remove(_ observer: any SessionObserver) {
        entries.withLock { entries in
            // Not `isOf`: the observer may be in its `deinit`.
            for entry in entries where entry.mayBe(of: observer) { entry.remove() }
            entries.removeAll { $0.wasRemoved }
        }
    }

    /// Enqueues calls to all current observers with a state.
    func notify(of state: SessionState) {
        let entries = entries.withLock { $0 }
        guard !entries.isEmpty else { return }
        queue.add {
            for entry in entries { entry.notify(of: state) }
        }
    }

    /// Removes the entries of observers that were removed or deallocated.
    @MainActor private func removeObsoleteEntries() {
        // Outside the lock: the observers' `deinit` may call ``remove(_:)``.
        let obsolete = entries.withLock { $0 }.filter(\.isObsolete)
        guard !obsolete.isEmpty else { return }
        entries.withLock { entries in
            entries.removeAll { entry in obsolete.contains { $0 === entry } }
        }
    }
}
