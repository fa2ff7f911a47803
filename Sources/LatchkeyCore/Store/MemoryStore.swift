import LatchkeyModel

/// A session store in the memory of this process, which is useful for tests and previews.
///
/// Apart from its lifetime, the store follows the same rules as the platform's stores: records can be up to
/// 1 MiB in size, and a record that is removed while the store is locked can't be read again later.
public final class MemoryStore: SessionStore {
    private static let byteLimit = 1 << 20

    private struct State {
        var record: (bytes: [UInt8], generation: UInt64)?
        var lastGeneration: UInt64 = 0
        var failure: SessionStoreError?
        /// Whether the record was removed while the store was locked, until the next call that succeeds.
        var hasTombstone = false
        var watchers: [UInt64: @Sendable () -> Void] = [:]
        var watcherCount: UInt64 = 0
        var sideStores: [SideRecordScope: MemoryStore] = [:]
    }

    private let state = Locked(State())
    private let refreshes = MemoryRefreshLock()
    private let events = MemoryJournal(startsWithLogin: true)

    /// Creates an empty store.
    public init() {}

    /// Makes all later calls fail, or lets them succeed again.
    ///
    /// The stores for side records are also affected, but no stored data is changed.
    ///
    /// An error with the code ``SessionStoreError/Code/locked`` makes the store behave like a locked keyring:
    /// records can still be removed, and a removed record is not there once the store is unlocked.
    ///
    /// - Parameter failure: The error for all later calls, or `nil` to let them succeed.
    public func fail(with failure: SessionStoreError?) {
        let sideStores = state.withLock { state in
            state.failure = failure
            return state.sideStores.values
        }
        for store in sideStores { store.fail(with: failure) }
    }

    /// Reads the record.
    ///
    /// - Returns: The record, ``StoredRecord/absent`` if there is no record or it was removed while the store
    ///   was locked, or the error set with ``fail(with:)``.
    public func read() -> StoredRecord {
        state.withLock { state in
            if state.hasTombstone {
                state.hasTombstone = state.failure != nil
                return .absent
            }
            if let failure = state.failure { return .unavailable(failure) }
            guard let record = state.record else { return .absent }
            return .present(record.bytes, generation: record.generation)
        }
    }

    /// Reads the record without blocking.
    ///
    /// - Returns: The same result as ``read()``.
    public func readImmediately() -> StoredRecord? { read() }

    /// Replaces the record.
    ///
    /// - Parameters:
    ///   - bytes: The new record, which can be up to 1 MiB in size.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    /// - Returns: The generation of the new record, which is different from the generations of all earlier
    ///   records.
    /// - Throws: The error set with ``fail(with:)``, or ``SessionStoreError/Code/conflict`` if the generation
    ///   is different.
    public func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        guard bytes.count <= Self.byteLimit else {
            throw SessionStoreError(.failed, message: "The record is larger than \(Self.byteLimit) bytes.")
        }
        defer { tell() }
        return try state.withLock { (state) throws(SessionStoreError) in
            if let failure = state.failure { throw failure }
            state.hasTombstone = false
            guard generation == state.record?.generation ?? 0 else {
                throw SessionStoreError(.conflict, message: "The record was changed in the meantime.")
            }
            state.lastGeneration += 1
            state.record = (bytes, state.lastGeneration)
            return state.lastGeneration
        }
    }

    /// Removes the record, even if the store is locked.
    ///
    /// - Throws: The error set with ``fail(with:)``, unless its code is ``SessionStoreError/Code/locked``.
    public func remove() throws(SessionStoreError) {
        defer { tell() }
        try state.withLock { (state) throws(SessionStoreError) in
            if let failure = state.failure, failure.code != .locked { throw failure }
            state.hasTombstone = state.failure != nil
            state.record = nil
        }
    }

    /// Removes the record if it has the given generation.
    ///
    /// - Parameter generation: The generation of the record to remove.
    /// - Throws: The error set with ``fail(with:)``, or ``SessionStoreError/Code/conflict`` if the generation
    ///   is different.
    public func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        defer { tell() }
        try state.withLock { (state) throws(SessionStoreError) in
            if let failure = state.failure { throw failure }
            state.hasTombstone = false
            guard state.record?.generation == generation else {
                throw SessionStoreError(.conflict, message: "The record was changed in the meantime.")
            }
            state.record = nil
        }
    }

    /// Watches for changes.
    ///
    /// - Parameter onChange: A closure that is called after every write and removal, even if it failed. It is
    ///   called on the thread that called the store.
    /// - Returns: An object that stops the watch when it is deallocated.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        let ticket = state.withLock { state in
            state.watcherCount += 1
            state.watchers[state.watcherCount] = onChange
            return state.watcherCount
        }
        return StoreWatch { [weak self] in
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: ticket) }
        }
    }

    /// The refresh lock.
    ///
    /// All clients of this store share the lock, just as several processes would.
    public var refreshLock: (any RefreshLock)? { refreshes }

    /// The session journal, which is shared by all clients of this store and has the same lifetime.
    public var journal: (any SessionJournal)? { events }

    /// Returns another in-memory store with the same lifetime as this one.
    ///
    /// - Parameter scope: Determines whether the side records are removed when the user signs out.
    /// - Returns: The store. Every call for the same scope returns the same store.
    public func sideStore(for scope: SideRecordScope) -> (any SessionStore)? {
        state.withLock { state in
            if let store = state.sideStores[scope] { return store }
            let store = MemoryStore()
            store.fail(with: state.failure)
            state.sideStores[scope] = store
            return store
        }
    }

    /// A report stating that the session is stored in memory.
    public var report: StorageReport {
        StorageReport(
            level: .memory,
            reason: "The app configured an in-memory store. The session is lost when the process exits.",
            isErasurePending: state.withLock { $0.hasTombstone }
        )
    }

    /// Calls all watchers.
    ///
    /// Must be called without holding the lock.
    private func tell() {
        for watcher in state.withLock({ $0.watchers.values }) { watcher() }
    }
}
