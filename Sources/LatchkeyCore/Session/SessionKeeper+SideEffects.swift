import Dispatch
import LatchkeyModel

/// Performs the state machine's actions on the store, the refresh lock, the server and the journal.
extension SessionKeeper {
    /// The maximum time that a refresh waits for the cross-process lock before it continues without it.
    private static let patience = Duration.seconds(5)

    /// The time to wait for the lock before checking whether the lock is still needed.
    private static let piece = Duration.milliseconds(250)

    /// Sends an event to the machine and performs the resulting actions.
    ///
    /// - Parameters:
    ///   - mayBlock: Whether this method is allowed to block. If it is `true`, the journal is written before
    ///     the method returns.
    ///   - event: A closure that returns the event, or `nil` if the event is obsolete. Called under the lock.
    func send(blocking mayBlock: Bool = false, _ event: (inout KeeperState) -> SessionMachine.Event?) {
        let now = time.now
        let sideEffects = keeperState.withLock { state in
            event(&state).map { state.reduce($0, at: now) } ?? []
        }
        for sideEffect in sideEffects {
            // We write the journal right away if possible, because the process may exit as soon as the caller
            // has received its result.
            if case .writeJournal = sideEffect, mayBlock { writeJournal() } else { perform(sideEffect) }
        }
    }

    /// Performs an action or adds it to a queue.
    ///
    /// Must be called without holding the lock.
    ///
    /// - Parameter sideEffect: The action.
    func perform(_ sideEffect: KeeperState.SideEffect) {
        if intercept?(sideEffect) == true { return }
        switch sideEffect {
        case .performStoreOperation: queue.start { self.performNextStoreOperation() }
        case .waitForLock(let ticket): waitForLock(ticket)
        case .releaseLock(let lock): lock.release()
        case .requestTokens(let session, let context): requestTokens(session, with: context)
        case .answer(let answer, let result): answer(result)
        case .removeKey(let key): keys.removeKey(key.exposed)
        case .removeSideRecords(let login): queue.start { self.removeSideRecords(of: login) }
        case .writeJournal: queue.start { self.writeJournal() }
        case .retry(let ticket, let isDue): retry.set(isDue: isDue, ticket: ticket) { [weak self] in self }
        }
    }

    /// Writes the pending entries to the journals.
    ///
    /// Only one thread writes entries at a time, so that the order is preserved.
    func writeJournal() {
        let entries = journalLock.withLock { _ in flushJournal() }
        // We call the logger without holding the lock, because it is provided by the app.
        if let logger { for entry in entries { logger.log(LogEvent(entry)) } }
    }

    /// Adds the pending entries to the journals, and returns these entries.
    ///
    /// If the user signed out, the store's journal is cleared first.
    private func flushJournal() -> [JournalEntry] {
        let entries = keeperState.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
        recent.append(entries)
        // A sign-out clears the journal, so only the entries after the last sign-out are written.
        let end = entries.lastIndex { $0.kind == .signedOut }
        if end != nil { journal?.clear() }
        let rest = entries[(end.map { $0 + 1 } ?? 0)...]
        if !rest.isEmpty { journal?.append(Array(rest)) }
        return entries
    }

    // MARK: The refresh lock

    /// Waits for the refresh lock on a separate queue, and tells the machine when the lock was acquired or
    /// the wait timed out.
    private func waitForLock(_ ticket: UInt64) {
        refreshLockQueue.start { [self] in
            var (lock, waited) = (HeldRefreshLock?.none, Duration.zero)
            // We wait for short intervals, so that a wait that is no longer needed doesn't delay the next
            // one.
            while let refreshLock = store.refreshLock, lock == nil, waited < Self.patience,
                keeperState.withLock({ $0.lockTicket }) == ticket
            {
                lock = refreshLock.wait(atMost: Self.piece)
                waited += Self.piece
            }
            lockWaitEnded(ticket: ticket, lock: lock)
        }
    }

    /// Lets the refresh continue, or releases the lock if the refresh has ended in the meantime.
    ///
    /// - Parameters:
    ///   - ticket: The ticket that was assigned when the wait began. If this isn't the current ticket, the
    ///     wait is obsolete.
    ///   - lock: The refresh lock, or `nil` if the wait timed out or the store doesn't have a lock.
    func lockWaitEnded(ticket: UInt64, lock: HeldRefreshLock?) {
        var isLate = false
        send { state in
            guard ticket == state.lockTicket else {
                isLate = true
                return nil
            }
            state.lock = lock
            return .locked
        }
        if isLate { lock?.release() }
    }

    // MARK: The server

    /// Requests new tokens and sends the server's response to the machine.
    private func requestTokens(_ session: HeldSession, with context: TokenRenewal.ProofContext) {
        Task {
            let answer = await renewal.renew(session.stored, with: context)
            send { state in .answered(state.interpret(answer, to: session), to: session.handle) }
        }
    }

    // MARK: The store

    /// Performs the first pending store operation.
    ///
    /// Called on the queue for blocking work.
    ///
    /// - Returns: `false` if no operation was pending.
    @discardableResult
    func performNextStoreOperation() -> Bool {
        if keeperState.withLock({ $0.takeErasure() }) { record.completeRemoval() }
        guard let operation = keeperState.withLock({ $0.nextOperation() }) else { return false }
        perform(operation)
        keeperState.withLock { $0.endOperation() }
        return true
    }

    /// Begins removing the record on the caller's thread after a sign-out.
    ///
    /// - Parameter removal: The removal that the machine requested, or `nil` if there is no record to remove.
    /// - Returns: An error if the session may still be in the store, or `nil` if the record was removed.
    func begin(_ removal: SessionMachine.Effect?) -> SessionStoreError? {
        guard case .remove(_, let epoch)? = removal else { return nil }
        do throws(SessionStoreError) {
            try record.beginRemoval()
            send { state in
                state.isErasureDue = true
                return .removed(epoch: epoch)
            }
            perform(.performStoreOperation)
            return nil
        } catch {
            send { state in
                state.removalFailure = error
                return .removalFailed(epoch: epoch)
            }
            return error
        }
    }

    /// Performs a store operation.
    ///
    /// Other effects are ignored.
    private func perform(_ operation: SessionMachine.Effect) {
        switch operation {
        case .read(let epoch, let refreshRead): read(epoch: epoch, refreshRead: refreshRead)
        case .save(let handle, let generation, let epoch): save(handle, basedOn: generation, epoch: epoch)
        case .replace(let caller, let handle, let signOuts):
            replace(with: handle, for: caller, signOuts: signOuts)
        case .remove(let removal, let epoch): remove(removal, epoch: epoch)
        case .lock, .unlock, .ask, .answer, .announce: break
        }
    }

    private func read(epoch: UInt32, refreshRead: UInt32?) {
        if refreshRead != nil {
            let context = renewal.captureProofContext()
            keeperState.withLock { $0.proofContext = context }
        }
        let reading = record.read()
        send(blocking: true) { state in .read(state.register(reading), epoch: epoch, refreshRead: refreshRead)
        }
    }

    /// Reads the record on the caller's thread if this doesn't block.
    func readImmediately() {
        guard let reading = record.readImmediately() else { return }
        send { state in .read(state.register(reading), epoch: state.machine.epoch, refreshRead: nil) }
    }

    private func save(_ handle: SessionHandle, basedOn generation: UInt64, epoch: UInt32) {
        let stored = keeperState.withLock { $0.machine.epoch == epoch ? $0.catalog[handle]?.stored : nil }
        guard let stored else { return }
        do throws(SessionStoreError) {
            let generation = try record.save(stored, basedOn: generation) {
                keeperState.withLock { $0.machine.epoch } == epoch
            }
            send(blocking: true) { _ in .saved(handle, generation: generation, epoch: epoch) }
        } catch {
            send(blocking: true) { state in
                state.storeFailure = error
                return .saveFailed(handle, error.code, epoch: epoch)
            }
        }
    }

    private func replace(
        with handle: SessionHandle,
        for caller: SessionMachine.Caller,
        signOuts: UInt32
    ) {
        // An earlier sign-out may still be removing a record, and it must not remove the one that we are
        // about to write.
        removals.wait()
        let (stored, guess, persistence) = keeperState.withLock { state in
            (
                state.machine.signOuts == signOuts ? state.catalog[handle]?.stored : nil,
                state.machine.generation,
                state.processLogins.contains(caller) ? Persistence.memory : .device
            )
        }
        do throws(SessionStoreError) {
            guard let stored else {
                throw SessionStoreError(.conflict, message: "The user signed out in the meantime.")
            }
            let generation = try record.replace(stored, guess: guess, persistence: persistence) {
                keeperState.withLock { $0.machine.signOuts } == signOuts
            }
            send(blocking: true) { _ in
                .replaced(caller, handle, generation: generation, signOuts: signOuts)
            }
        } catch {
            send(blocking: true) { state in
                state.storeFailure = error
                return .replaceFailed(caller, error.code, signOuts: signOuts)
            }
        }
    }

    private func remove(_ removal: SessionMachine.Removal, epoch: UInt32) {
        guard keeperState.withLock({ $0.machine.epoch }) == epoch else { return }
        do throws(SessionStoreError) {
            switch removal {
            case .anything: try record.remove()
            case .login(let login):
                try record.remove { stored in
                    keeperState.withLock { $0.catalog.handle(for: stored) }.login == login
                }
            }
            send(blocking: true) { _ in .removed(epoch: epoch) }
        } catch {
            send(blocking: true) { state in
                state.removalFailure = error
                return .removalFailed(epoch: epoch)
            }
        }
    }
}

extension KeeperState {
    /// Adds the session to the catalog if the read returned one, or stores the error if the read failed.
    ///
    /// - Returns: The result of the read, with a handle instead of the session, for the state machine.
    fileprivate mutating func register(_ reading: SessionRecord.Reading) -> SessionMachine.Reading {
        switch reading {
        case .absent: return .absent
        case .present(let stored, let generation):
            return .present(catalog.handle(for: stored), generation: generation)
        case .unavailable(let error):
            storeFailure = error
            return .unavailable(error.code)
        }
    }

    /// Returns the machine's representation of the server's response to a refresh request.
    ///
    /// After five stale responses in a row, the refresh fails, so that the machine doesn't retry forever.
    mutating func interpret(
        _ answer: TokenRenewal.Answer,
        to session: HeldSession
    ) -> SessionMachine.Answer {
        switch answer {
        case .granted(let pair):
            var stored = session.stored
            stored.credential = stored.credential.renewed(with: pair)
            return .granted(catalog.handle(for: stored))
        case .refused: return .refused
        case .stale:
            staleAnswers += 1
            guard staleAnswers > Self.staleLimit else { return .stale }
            refreshFailure = LatchkeyError(
                .serverFailed,
                message: "The server rejects every DPoP proof from this device as stale.",
                retry: .later
            )
            return .failed
        case .failed(let error):
            refreshFailure = error
            return .failed
        }
    }

    /// The maximum number of stale responses in a row before a refresh fails.
    private static let staleLimit = 4
}
