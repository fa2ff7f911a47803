import Dispatch
import LatchkeyModel

/// The owner of this device's session, in memory and in the store; it serializes all changes.
///
/// ``SessionMachine`` makes each decision under a lock, without blocking. Reads, writes, waits and requests
/// follow on other threads, and their results come back as events. Only a sign-out begins its removal on the
/// caller's thread, because it must be final when it returns; it does not wait for operations in progress.
package final class SessionKeeper: Sendable {
    /// The keeper's mutable state, guarded by the lock.
    let keeperState: Locked<KeeperState>
    let record: SessionRecord
    let store: any SessionStore
    /// The journal of this process; the store's journal, if there is one, outlives it.
    let recent = MemoryJournal()
    let journal: (any SessionJournal)?
    let time: any TimeSource
    let renewal: TokenRenewal
    let keys: any DeviceKeyProvider
    let logger: (any LatchkeyLogger)?
    let queue: BlockingQueue
    /// A queue for waiting for the refresh lock; it is separate so that waiters cannot starve the lock's
    /// holder.
    let refreshLockQueue = BlockingQueue(label: "latchkey.refresh-lock")
    /// Reads the store periodically while it is unavailable.
    let retry: UnavailabilityRetry
    /// Returns `true` for actions that the keeper must not perform, because a replay performs them in its own
    /// order.
    let intercept: (@Sendable (KeeperState.SideEffect) -> Bool)?
    /// The removals that sign-outs have begun but not completed; later logins are written after them.
    let removals = DispatchGroup()
    /// Serializes the writes to the journal.
    let journalLock = Locked(())
    private let watch = Locked<StoreWatch?>(nil)

    /// Creates a keeper and reads the record: immediately if that cannot block, otherwise in the background.
    ///
    /// - Parameters:
    ///   - store: The store of the record, which is read again when another process changes it.
    ///   - keys: The provider of the device's keys; the keeper removes the key of a login that has ended.
    ///   - time: The device's clock, used for journal entries and for the times of retries.
    ///   - random: Randomizes the pauses between retries.
    ///   - queue: The queue for blocking work, except waiting for the refresh lock.
    ///   - renewal: Requests tokens from the identity server.
    ///   - credential: The credential of the app's requests.
    ///   - logger: Receives the journal's entries.
    ///   - catalogLimit: The number of sessions in memory above which unneeded sessions are removed.
    ///   - intercept: Returns `true` for actions that the keeper must not perform itself.
    init(
        store: any SessionStore,
        keys: any DeviceKeyProvider,
        time: any TimeSource,
        random: any RandomSource,
        queue: BlockingQueue,
        renewal: TokenRenewal,
        credential: Credential,
        logger: (any LatchkeyLogger)? = nil,
        catalogLimit: Int = SessionCatalog.limit,
        intercept: (@Sendable (KeeperState.SideEffect) -> Bool)? = nil
    ) {
        (self.store, self.keys, self.queue, self.renewal) = (store, keys, queue, renewal)
        self.time = time
        self.logger = logger
        self.intercept = intercept
        retry = UnavailabilityRetry(time: time, random: random)
        journal = store.journal
        record = SessionRecord(store: store)
        keeperState = Locked(KeeperState(credential, catalogLimit: catalogLimit))
        readImmediately()
        queue.start { [weak self] in self?.listen() }
        // Reads again once the watch has begun: another process may have changed the record before that.
        send { _ in .started }
    }

    deinit {
        retry.stop()
        for stream in keeperState.withLock({ $0.broadcast.close() }) { stream.finish() }
    }

    /// The current state.
    package var state: SessionState {
        keeperState.withLock { $0.sessionState }
    }

    /// The current session, or `nil` if there is none or the store has not been read.
    package var held: HeldSession? {
        keeperState.withLock { $0.held }
    }

    /// The reason why changes by other processes are noticed late.
    ///
    /// `nil` if they are noticed immediately, or the store is not watched yet.
    var watchProblem: String? {
        watch.withLock { $0?.problem }
    }

    /// A report on the storage of the session; may require calls to the operating system.
    package var storageReport: StorageReport { record.report }

    /// The states from now on, starting with the current one as soon as it is known.
    package var states: SessionStates {
        SessionStates { [weak self] in
            AsyncStream { stream in
                guard let self else { return stream.finish() }
                let ticket = self.keeperState.withLock { state in
                    if state.machine.status != .unread { stream.yield(state.sessionState) }
                    return state.broadcast.add(stream)
                }
                stream.onTermination = { [weak self] _ in
                    self?.keeperState.withLock { $0.broadcast.removeStream(ticket) }
                }
            }
        }
    }

    /// Adds an observer, and calls it first with the current session, if there is one.
    ///
    /// - Parameter observer: Called under a lock; it must only record the event and return.
    package func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        keeperState.withLock { state in
            if state.held != nil { observer(SessionEvent(state: state.sessionState, isNewSession: true)) }
            state.broadcast.add(observer)
        }
    }

    /// Adds a follower, and calls it first with the current state.
    ///
    /// - Parameter follower: Called under a lock, in the order of the changes; it must only record the change and
    ///   return.
    package func follow(_ follower: @escaping @Sendable (SessionChange) -> Void) {
        keeperState.withLock { state in
            follower(.state(state.sessionState, login: state.machine.held?.login))
            state.followers.append(follower)
        }
    }

    /// Sets the closure that is called with each credential that this device no longer uses, although it may
    /// still be valid at the server.
    ///
    /// - Parameter revoke: Called under a lock; it must only record the credential and return.
    func whenLoginEnds(_ revoke: @escaping @Sendable (StoredCredential) -> Void) {
        keeperState.withLock { $0.whenLoginEnds = revoke }
    }

    /// Reports the credential of a login that was accepted by the server but will not be stored.
    func discard(_ credential: StoredCredential) {
        keeperState.withLock { $0.whenLoginEnds }?(credential)
    }

    /// Adds an observer, which is held weakly and called on the main actor.
    package func add(_ observer: any SessionObserver) {
        keeperState.withLock { state in
            state.broadcast.add(
                observer,
                initialState: state.machine.status == .unread ? nil : state.sessionState
            )
        }
    }

    /// Removes an observer, which is not called again.
    package func remove(_ observer: any SessionObserver) {
        keeperState.withLock { $0.broadcast.remove(observer) }
    }

    /// Waits until the record has been read, and reads it again if the last read failed.
    ///
    /// - Parameter again: Whether to read the record in any case, because another process may have changed
    ///   it.
    package func ready(again: Bool = false) async {
        let isDue = keeperState.withLock { state in
            switch state.machine.status {
            case .unread, .unavailable: true
            case .absent, .present: state.machine.pendingRemoval != nil
            }
        }
        guard again || isDue else { return }
        send { _ in .changed }
        await settle()
    }

    /// Waits until all pending store operations are completed.
    private func settle() async {
        // Waiting for the queue is not enough: another thread may have added an operation but not yet
        // enqueued it.
        await queue.run { [self] in
            while performNextStoreOperation() {}
        }
    }

    /// Returns a session with a usable credential, and refreshes it if needed.
    ///
    /// - Parameter known: A session whose credential has expired or was rejected; `nil` accepts any session.
    /// - Returns: The session. If `known` is given, it belongs to the same login, and has a different
    ///   credential if the app uses access tokens.
    /// - Throws: ``LatchkeyError`` if no user is logged in, the store is unavailable, another login has
    ///   replaced the login of `known`, the refresh failed, or the task was cancelled.
    package func access(fresherThan known: HeldSession? = nil) async throws(LatchkeyError) -> HeldSession {
        let need = known.map { SessionMachine.Need.fresher($0.handle) } ?? .any
        if let session = keeperState.withLock({ $0.session(serving: need) }), !Task.isCancelled {
            return session
        }
        return try await answer { .asked($0, need) }
    }

    /// Ends the session and cancels all login attempts before it returns.
    ///
    /// The call withdraws a write in progress without waiting for it. Slow erasure continues in the
    /// background after the call returns.
    ///
    /// - Returns: The error that may have left the session on disk, or `nil`. The removal is retried at the
    ///   next opportunity.
    package func signOut() -> SessionStoreError? {
        let now = time.now
        let (attempts, sideEffects, removal) = keeperState.withLock { state in
            defer { state.attempts = [:] }
            // Entered under the same lock as the decision, so that a login that begins later cannot be
            // written before the removal.
            removals.enter()
            for follower in state.followers { follower(.signedOut) }
            let sideEffects = state.reduce(.signedOut, at: now)
            return (state.attempts.values, sideEffects, state.takeRemoval())
        }
        for sideEffect in sideEffects { perform(sideEffect) }
        for cancel in attempts { cancel() }
        let failure = begin(removal)
        removals.leave()
        writeJournal()
        return failure
    }

    /// Ends a session because the identity server responded that it has ended.
    ///
    /// Has no effect if the session has already ended, or another login has replaced it.
    ///
    /// - Parameters:
    ///   - session: The session; its tokens may have been refreshed since.
    ///   - reason: The server's response as a sentence, for the journal.
    package func end(_ session: HeldSession, because reason: String) async {
        send { state in
            state.endReason = reason
            return .ended(session.handle)
        }
        await settle()
    }

    /// Returns why a user is logged in, or why the session has ended, with the entries of the journal.
    package func explain() async -> SessionExplanation {
        await ready()
        let stored = await queue.run { self.journal?.entries() ?? [] }
        return SessionExplanation(state: state, entries: stored.isEmpty ? recent.entries() : stored)
    }

    /// Changes the session's data, except its credentials, unless another login has replaced the session.
    ///
    /// A change that cannot be written is dropped; the next check repeats it.
    ///
    /// - Parameters:
    ///   - session: The session; its tokens may have been refreshed since.
    ///   - change: Modifies the current data of the session. Called under a lock, if the session still
    ///     exists.
    package func amend(
        _ session: HeldSession,
        change: @escaping @Sendable (inout StoredSession) -> Void
    ) async {
        send { state in
            guard let held = state.held, held.handle.login == session.handle.login else { return nil }
            var stored = held.stored
            change(&stored)
            guard stored != held.stored else { return nil }
            return .amended(held.handle, to: state.catalog.handle(for: stored))
        }
        await settle()
    }

    /// Stores a new session in place of the current one, if the attempt is still the newest.
    ///
    /// The attempt is checked in the same step that accepts the session, so a later attempt either finds the
    /// session already stored or replaces it.
    ///
    /// - Parameters:
    ///   - stored: The new session.
    ///   - attempt: The login attempt that created it.
    /// - Throws: ``LatchkeyError/Code/signedOut`` if the user has signed out since the attempt began,
    ///   ``LatchkeyError/Code/superseded`` if a newer attempt has begun, ``LatchkeyError/Code/storageFailed``
    ///   if it could not be written. After an error, no part of the session is stored.
    package func commit(_ stored: StoredSession, of attempt: LoginAttempt) async throws(LatchkeyError) {
        let outcome: Result<HeldSession, LatchkeyError> = await withCheckedContinuation { continuation in
            var obstacle: LatchkeyError?
            send { state in
                obstacle = state.obstacle(to: attempt)
                guard obstacle == nil else { return nil }
                let handle = state.catalog.handle(for: stored)
                let caller = state.add(persistence: attempt.persistence) {
                    continuation.resume(returning: $0)
                }
                return .loginSucceeded(caller, handle, signOuts: attempt.signOuts)
            }
            if let obstacle { continuation.resume(returning: .failure(obstacle)) }
        }
        do {
            _ = try outcome.get()
        } catch {
            throw error.code == .signedOut ? .signedOutDuringLogin : error
        }
    }

    /// Passes a new caller's event to the machine, and waits for the answer or a cancellation.
    private func answer(
        _ question: @escaping @Sendable (SessionMachine.Caller) -> SessionMachine.Event
    ) async throws(LatchkeyError) -> HeldSession {
        guard !Task.isCancelled else { throw .cancelled }
        let number = Locked<SessionMachine.Caller?>(nil)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                send { state in
                    let caller = state.add { continuation.resume(returning: $0) }
                    number.withLock { $0 = caller }
                    return question(caller)
                }
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            leave(number)
        }
        return try outcome.get()
    }

    /// Removes a cancelled caller, and answers it with `cancelled` unless it has already been answered.
    private func leave(_ number: Locked<SessionMachine.Caller?>) {
        guard let caller = number.withLock({ $0 }) else { return }
        let answer = Locked<KeeperState.Answer?>(nil)
        send { state in
            guard let waiting = state.remove(caller) else { return nil }
            answer.withLock { $0 = waiting }
            return .cancelled(caller)
        }
        answer.withLock { $0 }?(.failure(.cancelled))
    }

    /// Begins to watch the store, and reads the record again after each change by another process.
    private func listen() {
        let watch = store.watch { [weak self] in
            guard let self else { return }
            queue.start { self.send { _ in .changed } }
        }
        self.watch.withLock { $0 = watch }
    }
}
