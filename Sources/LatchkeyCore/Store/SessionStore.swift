/// A store for a single protected record that contains the data of this device's login.
///
/// Calls may block, so they aren't made on the threads of the cooperative pool. The exception is
/// ``beginRemoval()``, which is called on the thread that signs out. A store must be safe to use from several
/// threads.
public protocol SessionStore: Sendable {
    /// Reads the record.
    ///
    /// - Returns: The record, ``StoredRecord/absent`` if there is no record, or an error if the store can't
    ///   determine whether there is one. A store must only return ``StoredRecord/absent`` if it is certain
    ///   that there is no record.
    func read() -> StoredRecord

    /// Reads the record if this doesn't take longer than a file operation.
    ///
    /// A client calls this method in its initializer.
    ///
    /// - Returns: The same result as ``read()``, or `nil` if the store would have to wait, for example for a
    ///   keyring or a lock. In this case, the client reads the record in the background.
    func readImmediately() -> StoredRecord?

    /// Replaces the record atomically. After a crash, the store contains either the old record or the new
    /// one.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``. The code is ``SessionStoreError/Code/conflict`` if the record has a
    ///   different generation.
    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64

    /// Replaces the record like ``write(_:basedOn:)``, unless the write is no longer wanted.
    ///
    /// A sign-out doesn't wait for a write in progress. The sign-out first makes `isWanted` return `false`
    /// and then begins removing the record. A store that uses a lock must call `isWanted` for the last time
    /// while it holds the lock. From that point on, any removal must also remove what this call has written.
    /// The default implementation removes the written record if the write is no longer wanted.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    ///   - isWanted: A closure that immediately returns whether the record should still be written. After
    ///     returning `false`, the closure never returns `true` again.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``. The code is ``SessionStoreError/Code/conflict`` if the record has a
    ///   different generation, or if it should no longer be written.
    func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64

    /// Removes the record, regardless of its generation, and discards the results of any writes in progress.
    ///
    /// After this method returns, the record must never be read again, in this process or another one. If the
    /// store is locked and can't access the record at the moment, it leaves a tombstone and erases the record
    /// later. A record that is written after this call must not be affected.
    ///
    /// - Throws: ``SessionStoreError`` if the removal failed and the record could still be read later.
    func remove() throws(SessionStoreError)

    /// Removes the record for good, but leaves slow work to ``completeRemoval()``.
    ///
    /// After this method returns, the record must never be read again, in this process or another one. This
    /// method must not wait for a service, another process, or an operation in progress on this store. If the
    /// record can't be removed without waiting, the store can leave a tombstone. The default implementation
    /// calls ``remove()``.
    ///
    /// - Throws: ``SessionStoreError`` if the removal failed and the record could still be read later.
    func beginRemoval() throws(SessionStoreError)

    /// Erases as much as possible of the data left behind by ``beginRemoval()``.
    ///
    /// A record that was written after the removal began must not be affected. The default implementation has
    /// no effect.
    func completeRemoval()

    /// Removes the record, unless its generation has changed.
    ///
    /// - Parameter generation: The generation of the record to remove.
    /// - Throws: ``SessionStoreError``. The code is ``SessionStoreError/Code/conflict`` if the record has a
    ///   different generation or doesn't exist.
    func remove(basedOn generation: UInt64) throws(SessionStoreError)

    /// Removes the record if it is damaged, so that another one can be written.
    ///
    /// A record must not be removed if it can be read by the time of the removal, because another process has
    /// replaced it. A store that uses a lock must therefore read the record again while it holds the lock. The
    /// default implementation calls ``remove()`` if ``read()`` returns an error with the code
    /// ``SessionStoreError/Code/unreadable``.
    ///
    /// - Throws: ``SessionStoreError`` if the record couldn't be removed, or can't be read for another reason.
    func removeUnreadable() throws(SessionStoreError)

    /// Starts reporting changes to the record, including changes made by other processes.
    ///
    /// - Parameter onChange: A closure that is called after one or more changes, including changes made by
    ///   this process. The closure may be called on any thread, even if the record hasn't changed, and is
    ///   guaranteed to return quickly.
    /// - Returns: The watch, which ends when it is deallocated, or `nil` if this store can't report changes.
    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch?

    /// A lock that prevents several processes from refreshing a shared session at the same time, or `nil` if
    /// the record isn't shared with other processes.
    var refreshLock: (any RefreshLock)? { get }

    /// The journal of session events, or `nil` if events are only recorded in memory.
    var journal: (any SessionJournal)? { get }

    /// Returns the store for the side records of a scope.
    ///
    /// The returned store must meet the same requirements as this one. Each store has its own record, so
    /// operations on one store must not affect the other. If this method is called several times, the
    /// returned stores must use the same storage.
    ///
    /// - Parameter scope: The scope. Each scope has its own record.
    /// - Returns: The store, or `nil` if this store doesn't support side records. In this case, the client
    ///   keeps side records in memory.
    func sideStore(for scope: SideRecordScope) -> (any SessionStore)?

    /// A report about the kind of storage, for display. Creating the report may take a moment and may make
    /// system calls.
    var report: StorageReport { get }
}

extension SessionStore {
    /// Writes the record, and removes it again if it is no longer wanted after the write.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    ///   - isWanted: A closure that returns whether the record should still be written. The closure is called
    ///     before and after the write.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``. The code is ``SessionStoreError/Code/conflict`` if the record has a
    ///   different generation, or if it should no longer be written.
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

    /// Removes the record with ``remove()`` if reading it fails because it is damaged.
    ///
    /// - Throws: ``SessionStoreError`` if the removal failed, or the record can't be read for another reason.
    public func removeUnreadable() throws(SessionStoreError) {
        guard case .unavailable(let error) = read() else { return }
        guard error.code == .unreadable else { throw error }
        try remove()
    }

    /// Removes the record with ``remove()``.
    ///
    /// - Throws: ``SessionStoreError`` if the removal failed and the record could still be read later.
    public func beginRemoval() throws(SessionStoreError) {
        try remove()
    }

    /// Has no effect, because ``remove()`` has already erased everything.
    public func completeRemoval() {}

    /// Returns `nil`, which makes the client read the record in the background.
    public func readImmediately() -> StoredRecord? { nil }

    /// Returns `nil`, because changes aren't reported.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? { nil }

    /// Returns `nil`, because the record isn't shared with other processes.
    public var refreshLock: (any RefreshLock)? { nil }

    /// Returns `nil`, so that events are only recorded in memory.
    public var journal: (any SessionJournal)? { nil }

    /// Returns `nil`, so that the client keeps side records in memory.
    public func sideStore(for scope: SideRecordScope) -> (any SessionStore)? { nil }

    /// A report stating that the app provides its own store.
    public var report: StorageReport {
        StorageReport(level: .other, reason: "The app configured its own store, \(Self.self).")
    }
}
