import LatchkeyModel

/// Keeps the device's session: one truth in memory, one record on disk, one order of changes.
///
/// What to do is decided by ``SessionLedger`` under a lock, at once; reading and writing come after, on a
/// thread of their own. A sign-out alone does its file operation on the caller's thread, because it is done
/// when it returns.
package final class SessionKeeper: Sendable {
    struct Books: Sendable {
        var ledger = SessionLedger()
        var broadcast = SessionBroadcast()
        var attempts: [UInt64: @Sendable () -> Void] = [:]
        var attemptCount: UInt64 = 0
        var isRenewing = false
    }

    let books = Locked(Books())
    let record: SessionRecord
    let queue = BlockingQueue(label: "latchkey.session")
    private let keys: any DeviceKeyProvider

    /// Creates a keeper and begins to read the record.
    package init(store: any SessionStore, keys: any DeviceKeyProvider) {
        record = SessionRecord(store: store)
        self.keys = keys
        queue.start { [weak self] in self?.read(again: false) }
    }

    deinit {
        for stream in books.withLock({ $0.broadcast.close() }) { stream.finish() }
    }

    /// The state now.
    package var state: SessionState {
        books.withLock { $0.ledger.state }
    }

    /// The session now.
    package var held: HeldSession? {
        books.withLock { $0.ledger.held }
    }

    /// The states from now on; the first is the present one, as soon as it can be told.
    package var states: SessionStates {
        SessionStates { [weak self] in
            AsyncStream { stream in
                guard let self else { return stream.finish() }
                let ticket = self.books.withLock { books in
                    if case .unread = books.ledger.holding {} else { stream.yield(books.ledger.state) }
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
            if books.ledger.held != nil {
                observer(SessionEvent(state: books.ledger.state, isNewSession: true))
            }
            books.broadcast.add(observer)
        }
    }

    /// Waits until the record has been read; when it could not be, it is read again.
    ///
    /// - Parameter again: Whether to read it in any case, for another process may have changed it.
    package func ready(again: Bool = false) async {
        guard again || books.withLock({ $0.ledger.needsReading || $0.ledger.owesRemoval }) else { return }
        await queue.run { self.read(again: again) }
    }

    /// Ends whatever session there is, and all that is under way, before it returns.
    ///
    /// - Returns: Why something of the session may still be on disk; it is tried again at the next occasion.
    package func signOut() -> SessionStoreError? {
        let (key, attempts) = books.withLock { books in
            let key = books.ledger.held?.stored.key
            books.broadcast.tell(books.ledger.signOut())
            defer { books.attempts = [:] }
            return (key, books.attempts.values)
        }
        for cancel in attempts { cancel() }
        // A write that is under way is waited for, and what it wrote is removed with the rest.
        return record.exclusively { file in
            remove(&file, key: key)
        }
    }

    /// Ends one session because the identity server said that it is over; the first to say so ends it.
    package func end(_ held: HeldSession) async {
        await queue.run {
            self.record.exclusively { file in
                guard self.holds(held) else { return }
                let failure = file.remove()
                self.books.withLock { books in
                    books.broadcast.tell(books.ledger.end(held))
                    if failure == nil { books.ledger.removed() }
                }
                self.keys.removeKey(held.stored.key.exposed)
            }
        }
    }

    /// Puts a changed form of a session in its place, unless another is there by now.
    package func replace(_ held: HeldSession, with stored: StoredSession) async {
        await queue.run {
            let conflict = self.record.exclusively { file in
                guard self.holds(held) else { return false }
                // What cannot be written now is found out again by the next check.
                if let failure = file.write(stored, replacing: false) { return failure.code == .conflict }
                self.books.withLock { $0.broadcast.tell($0.ledger.replace(held, with: stored)) }
                return false
            }
            if conflict { self.read(again: true) }
        }
    }

    /// Puts a new session in place of whatever there was.
    ///
    /// - Throws: ``LatchkeyError/Code/signedOut`` when somebody signed out since the attempt began,
    ///   ``LatchkeyError/Code/storageFailed`` when it could not be written. Nothing of it is left then.
    package func commit(_ stored: StoredSession, _ attempt: LoginAttempt) async throws(LatchkeyError) {
        let outcome = await queue.run { () -> Result<Void, LatchkeyError> in
            self.record.exclusively { file in
                guard self.isCurrent(attempt) else { return .failure(.overtaken) }
                let former = self.held?.stored.key
                if let failure = file.write(stored, replacing: true) {
                    return .failure(LatchkeyError(store: failure))
                }
                let isCurrent = self.books.withLock { books in
                    // A sign-out meanwhile waits for this file operation, and then removes what it wrote.
                    guard books.ledger.isCurrent(attempt.epoch) else { return false }
                    books.broadcast.tell(books.ledger.commit(stored))
                    return true
                }
                guard isCurrent else { return .failure(.overtaken) }
                if let former, former != stored.key { self.keys.removeKey(former.exposed) }
                return .success(())
            }
        }
        try outcome.get()
    }

    private func read(again: Bool) {
        record.exclusively { file in
            let (needed, owed, epoch) = books.withLock {
                ($0.ledger.needsReading, $0.ledger.owesRemoval, $0.ledger.epoch)
            }
            if owed { remove(&file, key: nil) }
            guard needed || again else { return }
            let reading = file.read()
            books.withLock { $0.broadcast.tell($0.ledger.read(reading, since: epoch)) }
        }
    }

    @discardableResult
    private func remove(_ file: inout SessionRecord.File, key: StoredKey?) -> SessionStoreError? {
        if let key { keys.removeKey(key.exposed) }
        if let failure = file.remove() { return failure }
        books.withLock { $0.ledger.removed() }
        return nil
    }

    private func holds(_ held: HeldSession) -> Bool {
        self.held?.serial == held.serial
    }
}
