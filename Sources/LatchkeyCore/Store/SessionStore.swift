/// Keeps what a device must remember of its login: one sealed record.
///
/// Calls may block; the engine makes them off the cooperative pool. The exception is ``beginRemoval()``, which a sign-out
/// calls on the thread of its caller. A store is used from several threads.
public protocol SessionStore: Sendable {
    /// Reads the record.
    ///
    /// - Returns: The record, its absence, or why neither can be told now. Never guesses.
    func read() -> StoredRecord

    /// Reads the record if that takes no longer than a file operation; clients call it when they are created.
    ///
    /// - Returns: The record or its absence, as ``read()`` would return it; `nil` if the store would have to wait, for
    ///   instance for a keyring or a lock. The client reads the record in the background then.
    func readImmediately() -> StoredRecord?

    /// Replaces the record as a whole: after a crash, the old one or the new one is there.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` when the record has moved on.
    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64

    /// Replaces the record like ``write(_:basedOn:)``, unless the write is no longer wanted.
    ///
    /// A sign-out waits for no write that is under way. It withdraws the write first and begins the removal of the
    /// record then. A store with a lock asks for the last time when it holds the lock and a removal from then on
    /// also covers this write. Without an implementation, a write that was withdrawn meanwhile is removed again.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    ///   - isWanted: Returns whether the write is still wanted. It returns at once, and never `true` after `false`.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` when the record has moved on, or when the write
    ///   is no longer wanted.
    func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64

    /// Removes the record, whatever its generation, and what writes that are under way make of it.
    ///
    /// When it returns, no read answers that record again, here or in another process. A store that cannot reach
    /// the record now, because it is locked, leaves a tombstone and erases it later; a record that is written
    /// after this call is never touched.
    ///
    /// - Throws: ``SessionStoreError`` when the record might be read again.
    func remove() throws(SessionStoreError)

    /// Makes the removal of the record final, and leaves what takes time to ``completeRemoval()``.
    ///
    /// When it returns, no read answers that record again, here or in another process. It waits for no service, no other
    /// process and no operation of this store that is under way: a tombstone is enough. Without an implementation,
    /// ``remove()`` is called.
    ///
    /// - Throws: ``SessionStoreError`` when the record might be read again.
    func beginRemoval() throws(SessionStoreError)

    /// Erases what ``beginRemoval()`` has left, as far as that is possible now.
    ///
    /// Never touches a record that was written after the removal began. Without an implementation, nothing happens.
    func completeRemoval()

    /// Removes the record if nobody has changed it, and leaves one that another process has written meanwhile.
    ///
    /// - Parameter generation: The generation of the record that is to go.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` when there is no record of that generation.
    func remove(basedOn generation: UInt64) throws(SessionStoreError)

    /// Begins to tell of changes to the record, also of those that other processes make.
    ///
    /// - Parameter onChange: Called on any thread after one change or several, own ones included. It may be called
    ///   without a change. It must only note the call and return.
    /// - Returns: What ends the telling when it is let go of; nothing when this store cannot tell.
    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch?

    /// Keeps the processes that share the record from refreshing its tokens at once; nothing when none shares it.
    var refreshLock: (any RefreshLock)? { get }

    /// Where it is written down what became of the session; nothing for a journal that ends with the process.
    var journal: (any SessionJournal)? { get }

    /// Where the record is kept, for people; may ask the operating system and take a moment.
    var report: StorageReport { get }
}

extension SessionStore {
    /// Writes the record, and removes it again if it is no longer wanted by then.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    ///   - isWanted: Returns whether the write is still wanted.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` when the record has moved on, or when the write
    ///   is no longer wanted.
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

    /// Removes the record by ``remove()``.
    ///
    /// - Throws: ``SessionStoreError`` when the record might be read again.
    public func beginRemoval() throws(SessionStoreError) {
        try remove()
    }

    /// Does nothing: ``remove()`` has left nothing.
    public func completeRemoval() {}

    /// Leaves the first read to the background.
    ///
    /// - Returns: `nil`.
    public func readImmediately() -> StoredRecord? { nil }

    /// Cannot tell of changes.
    ///
    /// - Parameter onChange: Is never called.
    /// - Returns: Nothing.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? { nil }

    /// Nothing: no other process shares the record.
    public var refreshLock: (any RefreshLock)? { nil }

    /// Nothing: the journal ends with the process.
    public var journal: (any SessionJournal)? { nil }

    /// A place that only the app knows.
    public var report: StorageReport {
        StorageReport(rung: .other, reason: "The app brought its own store, \(Self.self).")
    }
}
