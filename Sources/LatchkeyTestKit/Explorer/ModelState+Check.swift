import LatchkeyCore

extension ModelState {
    /// Checks one process's invariants after an event.
    ///
    /// - Parameters:
    ///   - process: The process's number.
    ///   - event: The event that the process's state machine has handled.
    ///   - before: The state machine before the event.
    /// - Throws: ``InvariantViolation`` if an invariant is violated.
    func check(
        _ process: Int,
        after event: SessionMachine.Event,
        before: SessionMachine
    ) throws(InvariantViolation) {
        let machine = processes[process].machine
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
            guard processes[process].endedLogins & (1 << held.login) == 0 else { throw .revived }
        }
        if machine.status == .absent, before.status != .absent {
            switch event {
            case .signedOut, .read(.absent, _, _), .read(.present, _, _): break
            case .ended(let handle), .answered(.refused, let handle):
                guard !families[Int(handle.login)].isLive else { throw .loggedOutUnexpectedly }
            default: throw .loggedOutUnexpectedly
            }
        }
    }

    /// Checks the invariants that concern all processes, the store and the server.
    ///
    /// Called after each step.
    ///
    /// - Throws: ``InvariantViolation/revived`` if there is a record of a removed login,
    ///   ``InvariantViolation/tokenLost``, ``InvariantViolation/loggedOutUnexpectedly`` if the record of the
    ///   current login is missing, or ``InvariantViolation/neverAnswered``.
    package func check() throws(InvariantViolation) {
        if let record, record.generation > tombstone {
            guard removedLogins & (1 << record.handle.login) == 0 else { throw .revived }
            let family = families[Int(record.handle.login)]
            if family.isLive, record.handle.token < family.used { throw .tokenLost }
        }
        if let current {
            guard record?.handle.login == current else { throw .loggedOutUnexpectedly }
        }
        if !isInProgress, isWaiting.contains(true) { throw .neverAnswered }
    }

    /// Checks that no other process is refreshing the same login, unless one of the two has continued without
    /// the lock.
    ///
    /// Call this method before adding the process's own request to the requests in progress.
    ///
    /// - Throws: ``InvariantViolation/refreshedTwice``.
    func checkSingleFlight(of handle: SessionHandle, by process: Int) throws(InvariantViolation) {
        for other in processes.indices
        where other != process && !processes[other].proceedsWithoutLock
            && !processes[process].proceedsWithoutLock
        {
            guard case .asking(let asked, _) = processes[other].machine.refresh else { continue }
            if asked.login == handle.login { throw .refreshedTwice }
        }
    }
}
