package import LatchkeyCore
import LatchkeyModel

/// A memory store that counts its operations, makes them fail, and runs closures during them.
///
/// `beginRemoval()` counts as ``Operation/remove``. A write that is withdrawn while it is in progress counts
/// as a write and a removal. The store never answers an immediate read, so clients read it in the background.
package final class FaultInjectingStore: SessionStore {
    /// An operation of the store.
    ///
    /// The case `remove` covers removing any record and removing a record with a given generation.
    package enum Operation: Hashable, Sendable {
        case read, write, remove, completeRemoval
    }

    private struct State {
        var hooks: [Operation: @Sendable () -> Void] = [:]
        var counts: [Operation: Int] = [:]
        var failures: [Operation: SessionStoreError] = [:]
    }

    /// The store that holds the record.
    package let memory = MemoryStore()
    private let state = Locked(State())

    /// Creates an empty store without failures.
    package init() {}

    /// Returns how often an operation was called.
    ///
    /// Calls that failed are included.
    package func count(of operation: Operation) -> Int {
        state.withLock { $0.counts[operation] ?? 0 }
    }

    /// Runs a closure once, during the next call of an operation and before its effect.
    ///
    /// The closure runs on the thread of the operation and outside the lock, so it may call the store. A
    /// later closure for the same operation replaces one that has not run.
    package func during(_ operation: Operation, _ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.hooks[operation] = run }
    }

    /// Makes an operation fail from now on, or succeed again if the error is `nil`.
    ///
    /// A call that has already begun is not affected, even while its closure runs.
    package func fail(_ operation: Operation, with failure: SessionStoreError?) {
        state.withLock { $0.failures[operation] = failure }
    }

    /// Makes reads fail with the given error code from now on, or succeed again if the code is `nil`.
    package func failReads(_ code: SessionStoreError.Code?) {
        fail(.read, with: code.map(Self.failure))
    }

    /// Makes writes fail with the given error code from now on, or succeed again if the code is `nil`.
    package func failWrites(_ code: SessionStoreError.Code?) {
        fail(.write, with: code.map(Self.failure))
    }

    /// Makes removals fail with the given error code from now on, or succeed again if the code is `nil`.
    package func failRemovals(_ code: SessionStoreError.Code?) {
        fail(.remove, with: code.map(Self.failure))
    }

    /// Returns the error for an injected failure, whose message names the test as the cause.
    private static func failure(_ code: SessionStoreError.Code) -> SessionStoreError {
        SessionStoreError(code, message: "The test has injected this failure.")
    }

    /// The bytes of the record, even while reads fail; `nil` if there is no record.
    package var bytes: [UInt8]? {
        if case .present(let bytes, _) = memory.read() { bytes } else { nil }
    }

    /// Whether the store holds no record.
    package var isEmpty: Bool { bytes == nil }

    /// Counts the read, and returns an injected failure as an unavailable record.
    package func read() -> StoredRecord {
        if let failure = begin(.read) { return .unavailable(failure) }
        return memory.read()
    }

    /// Counts the write, and throws an injected failure before the record is changed.
    package func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        if let failure = begin(.write) { throw failure }
        return try memory.write(bytes, basedOn: generation)
    }

    /// Counts the removal, and throws an injected failure before the record is removed.
    package func remove() throws(SessionStoreError) {
        if let failure = begin(.remove) { throw failure }
        try memory.remove()
    }

    /// Counts the removal in the same way as removing any record.
    package func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        if let failure = begin(.remove) { throw failure }
        try memory.remove(basedOn: generation)
    }

    /// Counts the call, which an injected failure does not affect.
    package func completeRemoval() {
        _ = begin(.completeRemoval)
    }

    /// Watches the memory store for changes; changes that fail are not reported.
    ///
    /// - Returns: The watch of the memory store, which is never `nil`.
    package func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        memory.watch(onChange)
    }

    /// Returns the memory store's side store; its operations neither count nor fail.
    package func sideStore(for scope: SideRecordScope) -> (any SessionStore)? {
        memory.sideStore(for: scope)
    }

    /// The memory store's lock, which waits for up to 60 seconds so that a slow machine causes no timeouts.
    package var refreshLock: (any RefreshLock)? { memory.refreshLock.map(PatientLock.init) }

    /// Counts an operation, runs its closure, and returns its failure.
    private func begin(_ operation: Operation) -> SessionStoreError? {
        let (hook, failure) = state.withLock { state in
            state.counts[operation, default: 0] += 1
            return (state.hooks.removeValue(forKey: operation), state.failures[operation])
        }
        hook?()
        return failure
    }
}

/// A refresh lock whose waits do not time out on a busy machine.
private struct PatientLock: RefreshLock {
    let lock: any RefreshLock

    func wait(atMost time: Duration) -> HeldRefreshLock? {
        lock.wait(atMost: .seconds(60))
    }
}
