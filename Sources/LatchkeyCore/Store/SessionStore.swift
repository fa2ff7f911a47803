/// Keeps what a device must remember of its login: one sealed record.
///
/// Calls may block for a short file operation; the engine makes them off the cooperative pool, except in a
/// sign-out, which is synchronous by contract. A store is used from several threads.
public protocol SessionStore: Sendable {
    /// Reads the record.
    ///
    /// - Returns: The record, its absence, or why neither can be told now. Never guesses.
    func read() -> StoredRecord

    /// Replaces the record as a whole: after a crash, the old one or the new one is there.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` when the record has moved on.
    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64

    /// Removes the record, whatever its generation, and what writes that are under way make of it.
    ///
    /// When it returns, no read answers that record again, here or in another process. A store that cannot reach
    /// the record now, because it is locked, leaves a tombstone and erases it later; a record that is written
    /// after this call is never touched.
    ///
    /// - Throws: ``SessionStoreError`` when the record might be read again.
    func remove() throws(SessionStoreError)

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
