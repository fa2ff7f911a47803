/// A store for one sealed record, which contains the data of this device's login.
///
/// Calls may block, so the engine makes them outside the cooperative pool. The exception is
/// ``beginRemoval()``, which a sign-out calls on its caller's thread. A store is used from several threads.
public protocol SessionStore: Sendable {
    /// Reads the record.
    ///
    /// - Returns: The record, its absence, or the error that currently prevents the store from determining
    ///   whether there is a record; never a guess.
    func read() -> StoredRecord

    /// Reads the record if that takes no longer than a file operation; clients call it when they are created.
    ///
    /// - Returns: The record or its absence, as ``read()`` would return it; `nil` if the store would have to
    ///   wait, for instance for a keyring or a lock. In this case, the client reads the record in the
    ///   background.
    func readImmediately() -> StoredRecord?

    /// Replaces the record atomically: after a crash, the store holds the old record or the new one.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 if there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` if the record has another
    ///   generation.
    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64

    /// Replaces the record like ``write(_:basedOn:)``, unless the write is no longer wanted.
    ///
    /// A sign-out does not wait for a write in progress. It first withdraws the write and then begins the
    /// removal of the record. A store with a lock must make its last call to `isWanted` while it holds the
    /// lock, at a point after which any removal also covers this write. The default implementation removes
    /// the written record if the write was withdrawn in the meantime.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 if there was no record.
    ///   - isWanted: Returns whether the write is still wanted. It returns immediately, and never returns
    ///     `true` after `false`.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` if the record has another
    ///   generation, or the write is no longer wanted.
    func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64

    /// Removes the record, regardless of its generation, and the results of writes in progress.
    ///
    /// After it returns, no read returns that record again, in this process or another one. A store that is
    /// locked and cannot currently reach the record leaves a tombstone and erases the record later. A record
    /// that is written after this call is never touched.
    ///
    /// - Throws: ``SessionStoreError`` if a later read could return the record.
    func remove() throws(SessionStoreError)

    /// Makes the removal of the record final, and leaves slow work to ``completeRemoval()``.
    ///
    /// After it returns, no read returns that record again, in this process or another one. It does not wait
    /// for any service, another process or an operation in progress on this store: a tombstone is enough. The
    /// default implementation calls ``remove()``.
    ///
    /// - Throws: ``SessionStoreError`` if a later read could return the record.
    func beginRemoval() throws(SessionStoreError)

    /// Erases the data that ``beginRemoval()`` has left, as far as is currently possible.
    ///
    /// Never touches a record that was written after the removal began. Has no effect by default.
    func completeRemoval()

    /// Removes the record if it still has the given generation, so that a later record is not removed.
    ///
    /// - Parameter generation: The generation of the record to remove.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` if no record has that generation.
    func remove(basedOn generation: UInt64) throws(SessionStoreError)

    /// Begins to report changes to the record, including changes made by other processes.
    ///
    /// - Parameter onChange: Called on any thread after one or more changes, including changes made by this
    ///   process. It may also be called when there was no change. It must only record the call and return.
    /// - Returns: The watch, which ends when it is released; `nil` if this store cannot report changes.
    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch?

    /// A lock that prevents simultaneous refreshes by processes that share the record; `nil` if no other
    /// process shares it.
    var refreshLock: (any RefreshLock)? { get }

    /// The journal of session events; `nil` if events are recorded only in memory.
    var journal: (any SessionJournal)? { get }

    /// Returns the store for the side records of a scope.
    ///
    /// It must meet the same requirements as this store, with a record of its own: no operation on one of
    /// them affects the other. Every call returns a store that uses the same storage.
    ///
    /// - Parameter scope: The scope; each has its own record.
    /// - Returns: The store, or `nil` if this store has none. In this case, the client keeps the side records
    ///   in memory.
    func sideStore(for scope: SideRecordScope) -> (any SessionStore)?

    /// A report on the kind of storage, for display; creating it may take a moment and require calls to the
    /// operating system.
    var report: StorageReport { get }
}

extension SessionStore {
    /// Writes the record, and removes it again if the write is no longer wanted afterwards.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 if there was no record.
    ///   - isWanted: Returns whether the write is still wanted; called before and after the write.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` if the record has another
    ///   generation, or the write is no longer wanted.
    public func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        guard isWanted() else { throw .unwanted }
        let next = try write(bytes, basedOn: generation)
        guard isWanted() else {
            try remove(basedOn: next)
            throw .unwanted
        }
        return next
    }

    /// Removes the record with ``remove()``.
    ///
    /// - Throws: ``SessionStoreError`` if a later read could return the record.
    public func beginRemoval() throws(SessionStoreError) {
        try remove()
    }

    /// Has no effect, because ``remove()`` has already erased all data.
    public func completeRemoval() {}

    /// Always leaves the first read to the background.
    ///
    /// - Returns: `nil`.
    public func readImmediately() -> StoredRecord? { nil }

    /// Does not report changes.
    ///
    /// - Parameter onChange: Never called.
    /// - Returns: `nil`.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? { nil }

    /// `nil`, because no other process shares the record.
    public var refreshLock: (any RefreshLock)? { nil }

    /// `nil`, so that events are recorded only in memory.
    public var journal: (any SessionJournal)? { nil }

    /// Has no side records.
    ///
    /// - Parameter scope: Has no effect.
    /// - Returns: `nil`, so that the client keeps them in memory.
    public func sideStore(for scope: SideRecordScope) -> (any SessionStore)? { nil }

    /// A report about a store that the app provides.
    public var report: StorageReport {
        StorageReport(level: .other, reason: "The app configured its own store, \(Self.self).")
    }
}
