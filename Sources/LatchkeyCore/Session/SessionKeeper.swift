import Dispatch
import LatchkeyModel

/// Manages this device's session in memory and in the store, and serializes all changes.
///
/// ``SessionMachine`` makes every decision under a lock and without blocking. Any reads, writes, waits and
/// requests are then performed on other threads, and their results are sent back as events. The only
/// exception is a sign-out, which begins removing the record on the caller's thread, because it must be final
/// when it returns. A sign-out doesn't wait for operations in progress.
package final class SessionKeeper: Sendable {
    /// The keeper's mutable state, protected by a lock.
    let keeperState: Locked<KeeperState>
    let record: SessionRecord
    let store: any SessionStore
    /// The journal in this process's memory.
    ///
    /// If the store has its own journal, the entries in that journal survive a restart.
    let recent = MemoryJournal()
    let journal: (any SessionJournal)?
    let time: any TimeSource
    let renewal: TokenRenewal
    let keys: any DeviceKeyProvider
    let logger: (any LatchkeyLogger)?
    let queue: BlockingQueue
    /// A separate queue for waiting for the refresh lock, so that waiting doesn't block the work of the
    /// process that holds it.
    let refreshLockQueue = BlockingQueue(label: "latchkey.refresh-lock")
    /// Tries to read the store periodically while it is unavailable.
    let retry: UnavailabilityRetry
    /// Returns `true` for actions that a replay performs in its own order, so the keeper must not perform
    /// them.
    let intercept: (@Sendable (KeeperState.SideEffect) -> Bool)?
    /// The removals that sign-outs have started but not finished.
    ///
    /// New logins aren't written until all pending removals have been completed.
    let removals = DispatchGroup()
    /// Ensures that only one thread writes to the journal at a time.
    let journalLock = Locked(())
    private let watch = Locked<StoreWatch?>(nil)

    /// Creates a keeper and reads the record, in the background if reading could block.
    ///
    /// - Parameters:
    ///   - store: The store for the record. The record is read again when another process changes it.
    ///   - keys: Creates and restores the device's keys. The keeper removes a login's key after the login has
    ///     ended.
    ///   - time: The device's clock, used for journal entries and retries.
    ///   - random: The source of randomness for delays between retries.
    ///   - queue: The queue for all blocking work other than waiting for the refresh lock.
    ///   - renewal: Requests tokens from the identity server.
    ///   - credential: The credential for the app's own requests.
    ///   - logger: Receives the journal's entries.
    ///   - catalogLimit: The number of sessions that may be kept in memory before unneeded ones are removed.
    ///   - intercept: A closure that returns `true` for actions that the keeper must not perform itself.
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
        // We read again after the watch has started, because another process may have changed the record
        // before that.
        send { _ in .started }
    }

    deinit {
        retry.stop()
        for stream in keeperState.withLock({ $0.broadcast.close() }) { stream.finish() }
    }

    /// The current state of the session.
    package var state: SessionState {
        keeperState.withLock { $0.sessionState }
    }

    /// The current session, or `nil` if no user is logged in or the store hasn't been read.
    package var held: HeldSession? {
        keeperState.withLock { $0.held }
    }

    /// The reason why the keeper doesn't immediately notice changes made by other processes.
    ///
    /// The value is `nil` if changes are noticed immediately or if the store isn't being watched yet.
    var watchProblem: String? {
        watch.withLock { $0?.problem }
    }

    /// A report about how the session is stored.
    ///
    /// Accessing this property may make system calls.
    package var storageReport: StorageReport { record.report }

    /// The session's states.
    ///
    /// The first element is the current state, which is delivered as soon as it is known.
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

    /// Adds an observer.
    ///
    /// If there is a session, the observer is called with it right away.
    ///
    /// - Parameter observer: A closure that is called under a lock and should only store the event.
    /// - Returns: The token that keeps the observer registered.
    package func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) -> ObserverToken {
        keeperState.withLock { state in
            if state.held != nil { observer(SessionEvent(state: state.sessionState, isNewSession: true)) }
            return state.broadcast.add(observer)
        }
    }

    /// The number of observers, which may include removed ones.
    ///
    /// Only tests use this property.
    package var observerCount: Int { keeperState.withLock { $0.broadcast.observers.count } }

    /// Adds a callback for session changes, and calls it with the current state right away.
    ///
    /// - Parameter follower: A closure that is called under a lock for each change, in order, and should only
    ///   store the change.
    package func follow(_ follower: @escaping @Sendable (SessionChange) -> Void) {
        keeperState.withLock { state in
            follower(.state(state.sessionState, login: state.machine.held?.login))
            state.followers.append(follower)
        }
    }

    /// Sets the closure that is called with credentials that this device no longer uses, but that may still
    /// be valid on the server.
    ///
    /// - Parameter revoke: A closure that is called under a lock and should only store the credential.
    func whenLoginEnds(_ revoke: @escaping @Sendable (StoredCredential) -> Void) {
        keeperState.withLock { $0.whenLoginEnds = revoke }
    }

    /// Reports the credential of a login that the server has accepted but that won't be stored.
    func discard(_ credential: StoredCredential) {
        keeperState.withLock { $0.whenLoginEnds }?(credential)
    }

    /// Adds an observer that is held weakly and called on the main actor.
    package func add(_ observer: any SessionObserver) {
        keeperState.withLock { state in
            state.broadcast.add(
                observer,
                initialState: state.machine.status == .unread ? nil : state.sessionState
            )
        }
    }

    /// Removes an observer so that it isn't called again.
    package func remove(_ observer: any SessionObserver) {
        keeperState.withLock { $0.broadcast.remove(observer) }
    }

    /// Waits until the record has been read.
    ///
    /// If the last read failed, the record is read again.
    ///
    /// - Parameter again: Whether to always read the record again, because another process may have changed
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

    /// Waits until all pending store operations have been performed.
    private func settle() async {
        // It isn't enough to wait for the queue, because another thread may have added an operation without
        // enqueueing it yet.
        await queue.run { [self] in
            while performNextStoreOperation() {}
        }
    }

    /// Returns a session with a credential that can be used, and refreshes the credential if necessary.
    ///
    /// - Parameter known: A session whose credential has expired or was rejected, or `nil` to accept any
    ///   session.
    /// - Returns: The session. If `known` is specified, the session belongs to the same login and, if the app
    ///   uses access tokens, has a different access token.
    /// - Throws: ``LatchkeyError`` if no user is logged in, the store is unavailable, the login was replaced
    ///   by another one, the refresh failed, or the task was cancelled.
    package func access(fresherThan known: HeldSession? = nil) async throws(LatchkeyError) -> HeldSession {
        let need = known.map { SessionMachine.Need.fresher($0.handle) } ?? .any
        if let session = keeperState.withLock({ $0.session(serving: need) }), !Task.isCancelled {
            return session
        }
        return try await answer { .asked($0, need) }
    }

    /// Ends the session and cancels all login attempts before it returns.
    ///
    /// If a write is in progress, it is cancelled, but this method doesn't wait for it. If erasing the data
    /// takes a long time, it continues in the background.
    ///
    /// - Returns: An error if the session may still be on disk, or `nil` otherwise. The client tries to
    ///   remove the session again later.
    package func signOut() -> SessionStoreError? {
        let now = time.now
        let (attempts, sideEffects, removal) = keeperState.withLock { state in
            defer { state.attempts = [:] }
            // We enter the group before we release the lock, so that a login that begins later isn't written
            // before the removal.
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

    /// Ends a session that, according to a response from the identity server, has already ended.
    ///
    /// This has no effect if the session has already ended or was replaced by another login.
    ///
    /// - Parameters:
    ///   - session: The affected session, whose tokens may have been refreshed in the meantime.
    ///   - reason: A sentence for the journal that describes the server's response.
    package func end(_ session: HeldSession, because reason: String) async {
        send { state in
            state.endReason = reason
            return .ended(session.handle)
        }
        await settle()
    }

    /// Returns an explanation of why a user is or isn't logged in, together with the journal's entries.
    package func explain() async -> SessionExplanation {
        await ready()
        let stored = await queue.run { self.journal?.entries() ?? [] }
        return SessionExplanation(state: state, entries: stored.isEmpty ? recent.entries() : stored)
    }

    /// Changes a session's data other than its credentials, unless the session was replaced by another login.
    ///
    /// If the change can't be written, it is dropped, because the next check will repeat it.
    ///
    /// - Parameters:
    ///   - session: The affected session, whose tokens may have been refreshed in the meantime.
    ///   - change: A closure that modifies the session's current data. The closure is called under a lock if
    ///     the session still exists.
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

    /// Replaces the current session with a new one, if the attempt is still the most recent one.
    ///
    /// The attempt is checked under the same lock that is used to accept the session. If a newer attempt
    /// begins later, the session from that attempt replaces this one.
    ///
    /// - Parameters:
    ///   - stored: The new session.
    ///   - attempt: The login attempt that created the session.
    /// - Throws: ``LatchkeyError/Code/signedOut`` if the user signed out after the attempt began,
    ///   ``LatchkeyError/Code/superseded`` if a newer attempt has begun, or
    ///   ``LatchkeyError/Code/storageFailed`` if the session could not be written. If an error is thrown, the
    ///   session hasn't been stored.
    package func commit(_ stored: StoredSession, of attempt: LoginAttempt) async throws(LatchkeyError) {
        // Another process may have completed another login.
        if attempt.keepsOtherSessions { await ready(again: true) }
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

    /// Registers a new caller, sends its event to the machine, and returns the machine's answer.
    ///
    /// If the current task is cancelled, the machine is notified.
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

    /// Removes a cancelled caller, and resumes it with `cancelled` unless it has already been resumed.
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

    /// Starts watching the store, and reads the record again whenever another process changes it.
    private func listen() {
        let watch = store.watch { [weak self] in
            guard let self else { return }
            queue.start { self.send { _ in .changed } }
        }
        self.watch.withLock { $0 = watch }
    }
}

extension SessionKeeper: CustomReflectable {
    /// A mirror without children, so that `dump` of a client or of a step of a login doesn't print the
    /// session and the store.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
