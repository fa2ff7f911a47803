import Dispatch
import LatchkeyModel

/// The actions of a keeper for its state machine: on the store, the refresh lock, the server and the journal.
extension SessionKeeper {
    /// The longest time that a refresh waits for the lock of all processes before it continues without it.
    private static let patience = Duration.seconds(5)

    /// The length of one wait on the lock, after which the refresh checks whether it is still needed.
    private static let piece = Duration.milliseconds(250)

    /// Passes an event to the machine and performs the resulting actions.
    ///
    /// - Parameters:
    ///   - mayBlock: Whether the caller may block; the journal is then written before this returns.
    ///   - event: Returns the event, or `nil` if it is out of date. Called under the lock.
    func hear(blocking mayBlock: Bool = false, _ event: (inout SessionBooks) -> SessionMachine.Event?) {
        let now = time.now
        let deeds = books.withLock { books in event(&books).map { books.take($0, at: now) } ?? [] }
        for deed in deeds {
            // At once if possible: a process may exit as soon as it has its answer.
            if case .keepJournal = deed, mayBlock { keepJournal() } else { perform(deed) }
        }
    }

    /// Performs an action, or starts it on its queue; must be called without the lock.
    ///
    /// - Parameter deed: The action.
    func perform(_ deed: SessionBooks.Deed) {
        if intercept?(deed) == true { return }
        switch deed {
        case .useStore: queue.start { self.useStore() }
        case .wait(let ticket): waitForLock(ticket)
        case .release(let lock): lock.release()
        case .ask(let session, let look): ask(session, look)
        case .answer(let answer, let result): answer(result)
        case .removeKey(let key): keys.removeKey(key.exposed)
        case .keepJournal: queue.start { self.keepJournal() }
        case .retry(let ticket, let isDue): retry.set(isDue: isDue, ticket: ticket) { [weak self] in self }
        }
    }

    /// Writes the pending entries to the journals; one thread at a time, so that their order is preserved.
    func keepJournal() {
        journalTurn.withLock { _ in writeJournal() }
    }

    /// Moves the pending entries to the journals; a sign-out among them first clears the store's journal.
    private func writeJournal() {
        let entries = books.withLock { books in
            defer { books.entries = [] }
            return books.entries
        }
        recent.append(entries)
        // A sign-out starts a new journal.
        let end = entries.lastIndex { $0.kind == .signedOut }
        if end != nil { journal?.clear() }
        let rest = entries[(end.map { $0 + 1 } ?? 0)...]
        if !rest.isEmpty { journal?.append(Array(rest)) }
    }

    // MARK: The refresh lock

    /// Waits for the refresh lock on its own queue, and reports to the machine with or without it.
    private func waitForLock(_ ticket: UInt64) {
        turns.start { [self] in
            var (lock, waited) = (HeldRefreshLock?.none, Duration.zero)
            // In short waits, so that an obsolete one does not delay the next.
            while let refreshLock = store.refreshLock, lock == nil, waited < Self.patience,
                books.withLock({ $0.lockTicket }) == ticket
            {
                lock = refreshLock.wait(atMost: Self.piece)
                waited += Self.piece
            }
            take(turn: ticket, lock)
        }
    }

    /// Lets the refresh continue, or releases the lock if the refresh has ended in the meantime.
    ///
    /// - Parameters:
    ///   - ticket: The number of the wait; obsolete if it is no longer the current one.
    ///   - lock: The refresh lock, or `nil` if the wait timed out or the store has no lock.
    func take(turn ticket: UInt64, _ lock: HeldRefreshLock?) {
        var isLate = false
        hear { books in
            guard ticket == books.lockTicket else {
                isLate = true
                return nil
            }
            books.lock = lock
            return .locked
        }
        if isLate { lock?.release() }
    }

    // MARK: The server

    /// Requests new tokens and passes the answer to the machine.
    private func ask(_ session: HeldSession, _ look: TokenRenewal.Look) {
        Task {
            let answer = await renewal.renew(session.stored, look)
            hear { books in .answered(books.judge(answer, session), to: session.handle) }
        }
    }

    // MARK: The store

    /// Performs the first of the pending store operations; called on the queue for blocking work.
    ///
    /// - Returns: `false` if no operation was pending.
    @discardableResult
    func useStore() -> Bool {
        if books.withLock({ $0.takeErasure() }) { store.completeRemoval() }
        guard let operation = books.withLock({ $0.nextOperation() }) else { return false }
        perform(operation)
        books.withLock { $0.endOperation() }
        return true
    }

    /// Begins the removal of a sign-out on the caller's thread.
    ///
    /// - Parameter removal: The removal; `nil` if there is none.
    /// - Returns: The error because of which the session may still be in the store, or `nil` on success.
    func begin(_ removal: SessionMachine.Effect?) -> SessionStoreError? {
        guard case .remove(_, let epoch)? = removal else { return nil }
        do throws(SessionStoreError) {
            try store.beginRemoval()
            hear { books in
                books.isErasureDue = true
                return .removed(epoch: epoch)
            }
            perform(.useStore)
            return nil
        } catch {
            hear { books in
                books.removalFailure = error
                return .notRemoved(epoch: epoch)
            }
            return error
        }
    }

    /// Performs a store operation; effects that do not concern the store are ignored.
    private func perform(_ operation: SessionMachine.Effect) {
        switch operation {
        case .read(let epoch, let look): read(epoch, look)
        case .save(let handle, let generation, let epoch): save(handle, generation, epoch)
        case .replace(let caller, let handle, let signOuts): replace(caller, handle, signOuts)
        case .remove(let removal, let epoch): remove(removal, epoch)
        case .lock, .unlock, .ask, .answer, .announce: break
        }
    }

    private func read(_ epoch: UInt32, _ look: UInt32?) {
        if look != nil {
            let now = renewal.look()
            books.withLock { $0.look = now }
        }
        let reading = record.read()
        hear(blocking: true) { books in .read(books.note(reading), epoch: epoch, look: look) }
    }

    /// Reads the record on the caller's thread if the store can do that without blocking.
    func readImmediately() {
        guard let reading = record.readImmediately() else { return }
        hear { books in .read(books.note(reading), epoch: books.machine.epoch, look: nil) }
    }

    private func save(_ handle: SessionHandle, _ generation: UInt64, _ epoch: UInt32) {
        let stored = books.withLock { $0.machine.epoch == epoch ? $0.catalog[handle]?.stored : nil }
        guard let stored else { return }
        do throws(SessionStoreError) {
            let generation = try record.save(stored, basedOn: generation) {
                books.withLock { $0.machine.epoch } == epoch
            }
            hear(blocking: true) { _ in .saved(handle, generation: generation, epoch: epoch) }
        } catch {
            hear(blocking: true) { books in
                books.storeFailure = error
                return .notSaved(handle, error.code, epoch: epoch)
            }
        }
    }

    private func replace(
        _ caller: SessionMachine.Caller,
        _ handle: SessionHandle,
        _ signOuts: UInt32
    ) {
        // The removal of an earlier sign-out must not remove the record of this login.
        removals.wait()
        let (stored, guess) = books.withLock { books in
            (
                books.machine.signOuts == signOuts ? books.catalog[handle]?.stored : nil,
                books.machine.generation
            )
        }
        do throws(SessionStoreError) {
            guard let stored else {
                throw SessionStoreError(.conflict, "The session was signed out in the meantime.")
            }
            let generation = try record.replace(stored, guess: guess) {
                books.withLock { $0.machine.signOuts } == signOuts
            }
            hear(blocking: true) { _ in
                .replaced(caller, handle, generation: generation, signOuts: signOuts)
            }
        } catch {
            hear(blocking: true) { books in
                books.storeFailure = error
                return .notReplaced(caller, error.code, signOuts: signOuts)
            }
        }
    }

    private func remove(_ removal: SessionMachine.Removal, _ epoch: UInt32) {
        guard books.withLock({ $0.machine.epoch }) == epoch else { return }
        do throws(SessionStoreError) {
            switch removal {
            case .anything: try record.remove()
            case .login(let login):
                try record.remove { stored in
                    books.withLock { $0.catalog.handle(for: stored) }.login == login
                }
            }
            hear(blocking: true) { _ in .removed(epoch: epoch) }
        } catch {
            hear(blocking: true) { books in
                books.removalFailure = error
                return .notRemoved(epoch: epoch)
            }
        }
    }
}

extension SessionBooks {
    /// Adds the session that a read returned to the catalog, or stores the error.
    ///
    /// - Returns: The same reading, in the terms of the machine.
    fileprivate mutating func note(_ reading: SessionRecord.Reading) -> SessionMachine.Reading {
        switch reading {
        case .absent: return .absent
        case .present(let stored, let generation):
            return .present(catalog.handle(for: stored), generation: generation)
        case .unavailable(let error):
            storeFailure = error
            return .unavailable(error.code)
        }
    }

    /// Returns the answer to a renewal in the terms of the machine.
    ///
    /// The fifth stale answer in a row counts as a failure, so that the machine does not ask forever.
    mutating func judge(
        _ answer: TokenRenewal.Answer,
        _ session: HeldSession
    ) -> SessionMachine.Answer {
        switch answer {
        case .granted(let pair):
            var stored = session.stored
            stored.pair = pair
            return .granted(catalog.handle(for: stored))
        case .refused: return .refused
        case .stale:
            staleAnswers += 1
            guard staleAnswers > Self.staleLimit else { return .stale }
            refreshFailure = LatchkeyError(
                .serverFailed,
                "The server rejects every DPoP proof of this device as stale.",
                retry: .later
            )
            return .failed
        case .failed(let error):
            refreshFailure = error
            return .failed
        }
    }

    /// The number of consecutive stale answers that are tolerated.
    private static let staleLimit = 4
}
