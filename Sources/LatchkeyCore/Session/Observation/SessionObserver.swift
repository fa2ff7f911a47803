import LatchkeyModel

/// Is told what becomes of this device's session; held weakly.
///
/// It is told the state when it begins to observe, as soon as that can be told, and then every change once, in the
/// same order as everybody else.
@MainActor public protocol SessionObserver: AnyObject {
    /// Is called on the main actor.
    ///
    /// - Parameter state: The state from now on.
    func sessionDidChange(to state: SessionState)
}

/// The observers of a session.
///
/// Callers add to the queue under the lock that orders the changes, so that all observers see the same order.
///
/// An observer is loaded on the main actor only. Loading it on another thread could make that thread release the last
/// reference, and run the observer's `deinit` there.
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

        /// Compares identifiers only: an object that is deallocated may have left its identifier to another one.
        func mayBe(of observer: any SessionObserver) -> Bool {
            id == ObjectIdentifier(observer) && !wasRemoved
        }

        /// Returns whether the entry is of an observer that the caller holds.
        ///
        /// Safe on every thread: the reference is loaded only if it is the caller's own object, or `nil`.
        func isOf(_ observer: any SessionObserver) -> Bool {
            mayBe(of: observer) && self.observer != nil
        }

        var wasRemoved: Bool { !isRegistered.withLock { $0 } }

        @MainActor var isObsolete: Bool { wasRemoved || observer == nil }

        func remove() {
            isRegistered.withLock { $0 = false }
        }

        @MainActor func tell(_ state: SessionState) {
            guard !wasRemoved else { return }
            observer?.sessionDidChange(to: state)
        }
    }

    private let queue = MainActorQueue()
    private let entries = Locked<[Entry]>([])

    /// Adds an observer; nothing happens when it was added before.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - state: The first state that the observer is called with, or `nil` if it is not known yet.
    func add(_ observer: any SessionObserver, telling state: SessionState?) {
        let entry = entries.withLock { entries -> Entry? in
            guard !entries.contains(where: { $0.isOf(observer) }) else { return nil }
            let entry = Entry(observer)
            entries.append(entry)
            return entry
        }
        guard let entry else { return }
        queue.add {
            if let state { entry.tell(state) }
            self.removeObsoleteEntries()
        }
    }

    /// Removes an observer, which is not called any more, not even for changes that wait in the queue.
    func remove(_ observer: any SessionObserver) {
        entries.withLock { entries in
            // Not `isOf`: the observer may be in its `deinit`.
            for entry in entries where entry.mayBe(of: observer) { entry.remove() }
            entries.removeAll { $0.wasRemoved }
        }
    }

    func tell(_ state: SessionState) {
        let entries = entries.withLock { $0 }
        guard !entries.isEmpty else { return }
        queue.add {
            for entry in entries { entry.tell(state) }
        }
    }

    @MainActor private func removeObsoleteEntries() {
        // Outside the lock: the observers' `deinit` may call ``remove(_:)``.
        let obsolete = entries.withLock { $0 }.filter(\.isObsolete)
        guard !obsolete.isEmpty else { return }
        entries.withLock { entries in
            entries.removeAll { entry in obsolete.contains { $0 === entry } }
        }
    }
}
