import Dispatch
import LatchkeyModel

/// Keeps the device's session: one truth in memory, one record on disk, one order of changes.
///
/// ``SessionMachine`` decides, under a lock and at once. Reading, writing, waiting and asking come after, on threads
/// of their own, and come back as events. A sign-out alone begins its removal on the caller's thread, because it
/// is final when it returns; it waits for nothing that is under way.
package final class SessionKeeper: Sendable {
    let books: Locked<SessionBooks>
    let record: SessionRecord
    let store: any SessionStore
    /// What this process remembers, and what outlives it.
    let recent = MemoryJournal()
    let journal: (any SessionJournal)?
    let time: any TimeSource
    let renewal: TokenRenewal
    let keys: any DeviceKeyProvider
    let queue: BlockingQueue
    /// Where refreshes wait for their turn; on threads of its own, for whoever holds the lock needs the others.
    let turns = BlockingQueue(label: "latchkey.turns")
    /// Reads the store again while it is unavailable.
    let retry: UnavailabilityRetry
    /// Takes deeds out of the keeper's hands, for a replay that does them in an order of its own.
    let intercept: (@Sendable (SessionBooks.Deed) -> Bool)?
    /// The removals that sign-outs are beginning; later logins are written after them.
    let removals = DispatchGroup()
    /// Serializes the writes to the journal.
    let journalTurn = Locked(())
    private let watch = Locked<StoreWatch?>(nil)

    /// Creates a keeper and reads the record, in the background unless the store can do it without waiting.
    ///
    /// - Parameters:
    ///   - store: The store of the record.
    ///   - keys: The keys of the device.
    ///   - time: The device's clock.
    ///   - random: Draws the lengths of pauses.
    ///   - queue: The queue of everything that blocks.
    ///   - renewal: Asks the server for tokens.
    ///   - credential: The credential of the app's requests.
    ///   - catalogLimit: The number of sessions that are remembered although no decision depends on them.
    ///   - intercept: Returns `true` for what the keeper is not to do itself.
    init(
        store: any SessionStore,
        keys: any DeviceKeyProvider,
        time: any TimeSource,
        random: any RandomSource,
        queue: BlockingQueue,
        renewal: TokenRenewal,
        credential: Credential,
        catalogLimit: Int = SessionCatalog.limit,
        intercept: (@Sendable (SessionBooks.Deed) -> Bool)? = nil
    ) {
        (self.store, self.keys, self.queue, self.renewal) = (store, keys, queue, renewal)
        self.time = time
        self.intercept = intercept
        retry = UnavailabilityRetry(time: time, random: random)
        journal = store.journal
        record = SessionRecord(store: store)
        books = Locked(SessionBooks(credential, catalogLimit: catalogLimit))
        readImmediately()
        queue.start { [weak self] in self?.listen() }
        // Reads again after the watch began: another process may have changed the record in between.
        hear { _ in .started }
    }

    deinit {
        retry.stop()
        for stream in books.withLock({ $0.broadcast.close() }) { stream.finish() }
    }

    /// The state now.
    package var state: SessionState {
        books.withLock { $0.state }
    }

    /// The session now.
    package var held: HeldSession? {
        books.withLock { $0.held }
    }

    /// Why changes by other processes are noticed late; `nil` if they are not, or before the store is watched.
    var watchProblem: String? {
        watch.withLock { $0?.problem }
    }

    /// The states from now on; the first is the present one, as soon as it can be told.
    package var states: SessionStates {
        SessionStates { [weak self] in
            AsyncStream { stream in
                guard let self else { return stream.finish() }
                let ticket = self.books.withLock { books in
                    if books.machine.truth != .unread { stream.yield(books.state) }
                    return books.broadcast.add(stream)
                }
                stream.onTermination = { [weak self] _ in
                    self?.books.withLock { $0.broadcast.removeStream(ticket) }
                }
            }
        }
    }

    /// Adds an observer, which is told of the present session first, if there is one.
    ///
    /// - Parameter observer: Called under a lock; it must only note what it is told.
    package func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        books.withLock { books in
            if books.held != nil { observer(SessionEvent(state: books.state, isNewSession: true)) }
            books.broadcast.add(observer)
        }
    }

    /// Adds an object that observes, without keeping it alive.
    package func add(_ observer: any SessionObserver) {
        books.withLock { books in
            books.broadcast.add(observer, telling: books.machine.truth == .unread ? nil : books.state)
        }
    }

    /// Removes an object that observes.
    package func remove(_ observer: any SessionObserver) {
        books.withLock { $0.broadcast.remove(observer) }
    }

    /// Waits until the record has been read; when it could not be, it is read again.
    ///
    /// - Parameter again: Whether to read it in any case, for another process may have changed it.
    package func ready(again: Bool = false) async {
        let isDue = books.withLock { books in
            switch books.machine.truth {
            case .unread, .unavailable: true
            case .absent, .present: books.machine.owed != nil
            }
        }
        guard again || isDue else { return }
        hear { _ in .changed }
        await settle()
    }

    /// Waits until everything that was asked of the store is done.
    private func settle() async {
        // Not only what is on the queue: another thread can have asked for something that it is yet to put there.
        await queue.run { [self] in
            while useStore() {}
        }
    }

    /// The session, as it can be used now.
    ///
    /// - Parameter known: What has expired or was refused; nothing when whatever there is will do.
    /// - Returns: The session; one of the same login and with other credentials, if something is known.
    /// - Throws: ``LatchkeyError``: nobody is logged in, the store cannot tell, or the server could not be asked.
    package func access(fresherThan known: HeldSession? = nil) async throws(LatchkeyError) -> HeldSession {
        let need = known.map { SessionMachine.Need.fresher($0.handle) } ?? .any
        if let session = books.withLock({ $0.session(serving: need) }), !Task.isCancelled { return session }
        return try await answer { .asked($0, need) }
    }

    /// Ends whatever session there is, and all that is under way, before it returns.
    ///
    /// A write that is under way is withdrawn rather than waited for. What takes time is erased afterwards.
    ///
    /// - Returns: Why something of the session may still be on disk; it is tried again at the next occasion.
    package func signOut() -> SessionStoreError? {
        let now = time.now
        let (attempts, deeds, removal) = books.withLock { books in
            defer { books.attempts = [:] }
            // Together with the decision, so that no login that begins after it is written first.
            removals.enter()
            let deeds = books.take(.signedOut, at: now)
            return (books.attempts.values, deeds, books.takeRemoval())
        }
        for deed in deeds { perform(deed) }
        for cancel in attempts { cancel() }
        let failure = begin(removal)
        removals.leave()
        keepJournal()
        return failure
    }

    /// Ends one session because the identity server said that it is over; the first to say so ends it.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - reason: How the server said so, in a sentence for the journal.
    package func end(_ session: HeldSession, because reason: String) async {
        hear { books in
            books.endReason = reason
            return .ended(session.handle)
        }
        await settle()
    }

    /// Says why somebody is logged in, or no longer is.
    package func explain() async -> SessionExplanation {
        await ready()
        let kept = await queue.run { self.journal?.entries() ?? [] }
        return SessionExplanation(state, kept.isEmpty ? recent.entries() : kept)
    }

    /// Changes something beside the credentials, unless another login is there by now.
    ///
    /// What cannot be written is not changed, and found out again by the next check.
    package func amend(
        _ session: HeldSession,
        _ change: @escaping @Sendable (inout StoredSession) -> Void
    ) async {
        hear { books in
            guard let held = books.held, held.handle.login == session.handle.login else { return nil }
            var stored = held.stored
            change(&stored)
            guard stored != held.stored else { return nil }
            return .amended(held.handle, to: books.catalog.handle(for: stored))
        }
        await settle()
    }

    /// Stores a new session in place of the one before, if the attempt is still the newest.
    ///
    /// That is checked in the step in which the machine accepts the session: an attempt that begins later finds it
    /// stored, or replaces it.
    ///
    /// - Throws: ``LatchkeyError/Code/signedOut`` when the user signed out since the attempt began,
    ///   ``LatchkeyError/Code/superseded`` when a newer attempt began,
    ///   ``LatchkeyError/Code/storageFailed`` when the session could not be written. Nothing of it is left then.
    package func commit(_ stored: StoredSession, _ attempt: LoginAttempt) async throws(LatchkeyError) {
        let outcome: Result<HeldSession, LatchkeyError> = await withCheckedContinuation { continuation in
            var obstacle: LatchkeyError?
            hear { books in
                obstacle = books.obstacle(to: attempt)
                guard obstacle == nil else { return nil }
                let handle = books.catalog.handle(for: stored)
                let caller = books.add { continuation.resume(returning: $0) }
                return .admitted(caller, handle, signOuts: attempt.signOuts)
            }
            if let obstacle { continuation.resume(returning: .failure(obstacle)) }
        }
        do {
            _ = try outcome.get()
        } catch {
            throw error.code == .signedOut ? .overtaken : error
        }
    }

    /// Asks the machine for something, until it answers or the task is cancelled.
    private func answer(
        _ question: @escaping @Sendable (SessionMachine.Caller) -> SessionMachine.Event
    ) async throws(LatchkeyError) -> HeldSession {
        guard !Task.isCancelled else { throw .cancelled }
        let number = Locked<SessionMachine.Caller?>(nil)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                hear { books in
                    let caller = books.add { continuation.resume(returning: $0) }
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

    /// Takes a caller that was cancelled out of those who wait.
    private func leave(_ number: Locked<SessionMachine.Caller?>) {
        guard let caller = number.withLock({ $0 }) else { return }
        let answer = Locked<SessionBooks.Answer?>(nil)
        hear { books in
            guard let waiting = books.remove(caller) else { return nil }
            answer.withLock { $0 = waiting }
            return .left(caller)
        }
        answer.withLock { $0 }?(.failure(.cancelled))
    }

    private func listen() {
        let watch = store.watch { [weak self] in
            guard let self else { return }
            queue.start { self.hear { _ in .changed } }
        }
        self.watch.withLock { $0 = watch }
    }
}
