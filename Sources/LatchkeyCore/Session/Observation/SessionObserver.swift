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

/// The observers of a session, told by identity.
///
/// Whoever adds to the queue does so under the lock that orders the changes, so that the order is the same for all.
final class SessionObservers: Sendable {
    /// `@unchecked Sendable`: the object is only compared, except on the main actor, where it is told.
    private final class Seat: @unchecked Sendable {
        private weak var observer: (any SessionObserver)?
        private let id: ObjectIdentifier
        private let isTaken = Locked(true)

        init(_ observer: any SessionObserver) {
            self.observer = observer
            id = ObjectIdentifier(observer)
        }

        /// Whether it is the seat of an observer that still exists.
        func isOf(_ observer: any SessionObserver) -> Bool {
            isTaken.withLock { $0 } && id == ObjectIdentifier(observer)
        }

        var isEmpty: Bool { observer == nil || !isTaken.withLock { $0 } }

        func leave() {
            isTaken.withLock { $0 = false }
        }

        @MainActor func tell(_ state: SessionState) {
            guard isTaken.withLock({ $0 }) else { return }
            observer?.sessionDidChange(to: state)
        }
    }

    private let queue = MainActorQueue()
    private let seats = Locked<[Seat]>([])

    /// Adds an observer; nothing happens when it is there already.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - state: What it is told first; nothing when that is not known yet.
    func add(_ observer: any SessionObserver, telling state: SessionState?) {
        let seat = seats.withLock { seats -> Seat? in
            seats.removeAll { $0.isEmpty }
            guard !seats.contains(where: { $0.isOf(observer) }) else { return nil }
            let seat = Seat(observer)
            seats.append(seat)
            return seat
        }
        if let seat, let state { queue.add { seat.tell(state) } }
    }

    /// Removes an observer, which is told nothing from now on, not even what waits in the queue.
    func remove(_ observer: any SessionObserver) {
        seats.withLock { seats in
            for seat in seats where seat.isOf(observer) { seat.leave() }
            seats.removeAll { $0.isEmpty }
        }
    }

    func tell(_ state: SessionState) {
        let seats = seats.withLock { $0 }
        guard !seats.isEmpty else { return }
        queue.add {
            for seat in seats { seat.tell(state) }
        }
    }
}
