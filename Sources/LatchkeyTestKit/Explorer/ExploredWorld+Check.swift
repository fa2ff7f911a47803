import LatchkeyCore

extension ExploredWorld {
    /// Checks the invariants of one process after an event.
    ///
    /// - Parameters:
    ///   - app: The number of the process.
    ///   - event: The event that its state machine has processed.
    ///   - before: The state machine before the event.
    /// - Throws: ``ExploredViolation`` if an invariant is violated.
    func check(
        _ app: Int,
        _ event: SessionMachine.Event,
        before: SessionMachine
    ) throws(ExploredViolation) {
        let machine = apps[app].machine
        if case .read(.unavailable, _, _) = event {
            switch before.status {
            case .present, .absent:
                guard machine.status == before.status else { throw .unavailableChangedState }
            case .unread, .unavailable: break
            }
        }
        if event == .signedOut, machine.status != .absent { throw .signOutFailed }
        if let held = machine.held {
            guard held.isComplete else { throw .announcedIncomplete }
            guard apps[app].left & (1 << held.login) == 0 else { throw .revived }
        }
        if machine.status == .absent, before.status != .absent {
            switch event {
            case .signedOut, .read(.absent, _, _), .read(.present, _, _): break
            case .ended(let handle), .answered(.refused, let handle):
                guard !families[Int(handle.login)].isLive else { throw .loggedOutByAccident }
            default: throw .loggedOutByAccident
            }
        }
    }

    /// Checks the invariants that concern all processes, the store and the server; called after each step.
    package func check() throws(ExploredViolation) {
        if let record, record.generation > tombstone {
            guard buried & (1 << record.handle.login) == 0 else { throw .revived }
            let family = families[Int(record.handle.login)]
            if family.isLive, record.handle.token < family.used { throw .tokenLost }
        }
        if let current {
            guard record?.handle.login == current else { throw .loggedOutByAccident }
        }
        if !isUnderWay, isWaiting.contains(true) { throw .neverAnswered }
    }

    /// Checks that no other process refreshes the same login, unless one of the two continued without the
    /// lock.
    func checkSingleFlight(_ app: Int, _ handle: SessionHandle) throws(ExploredViolation) {
        for other in apps.indices where other != app && !apps[other].overtook && !apps[app].overtook {
            guard case .asking(let asked, _) = apps[other].machine.refresh else { continue }
            if asked.login == handle.login { throw .refreshedTwice }
        }
    }
}
