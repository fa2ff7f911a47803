package import LatchkeyCore
import LatchkeyModel

/// A memory store that counts its operations, and can make them fail or run closures during them.
///
/// A call to `beginRemoval()` is counted as an ``Operation/remove`` operation. If a write is undone before it
/// completes, it is counted as both a write and a removal. The store doesn't support immediate reads, so
/// clients read it in the background.
package final class FaultInjectingStore: SessionStore {
    /// A store operation.
    ///
    /// `remove` includes both removals of a specific generation and removals of any generation.
    package enum Operation: Hashable, Sendable {
        case read, write, remove, completeRemoval
    }

    private struct State {
        var hooks: [Operation: @Sendable () -> Void] = [:]
        var counts: [Operation: Int] = [:]
        var failures: [Operation: SessionStoreError] = [:]
    }

    /// The store that contains the record.
    package let memory = MemoryStore()
    private let state = Locked(State())

    /// Creates an empty store whose operations succeed.
    package init() {}

    /// Returns how often an operation was called, including calls that failed.
    package func count(of operation: Operation) -> Int {
        state.withLock { $0.counts[operation] ?? 0 }
    }

    /// Runs a closure once, immediately before the next call to an operation takes effect.
    ///
    /// The closure runs on the operation's thread and without holding the lock, so it can call the store. If
    /// an earlier closure for the same operation hasn't run yet, it is replaced.
    package func during(_ operation: Operation, _ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.hooks[operation] = run }
    }

    /// Makes an operation fail from now on, or succeed again if the error is `nil`.
    ///
    /// Calls that have already begun are not affected, even if their closures are still running.
    package func fail(_ operation: Operation, with failure: SessionStoreError?) {
        state.withLock { $0.failures[operation] = failure }
    }

    /// Makes all following reads fail with the given error code, or succeed if the code is `nil`.
    package func failReads(_ code: SessionStoreError.Code?) {
        fail(.read, with: code.map(Self.failure))
    }

    /// Makes all following writes fail with the given error code, or succeed if the code is `nil`.
    package func failWrites(_ code: SessionStoreError.Code?) {
        fail(.write, with: code.map(Self.failure))
    }

    /// Makes removals fail with the given error code from now on, or succeed again if the code is `nil`.
    package func failRemovals(_ code: SessionStoreError.Code?) {
        fail(.remove, with: code.map(Self.failure))
    }

    /// Returns the error that operations throw if a test has injected a failure.
    ///
    /// The error message says that the test has injected the failure.
    private static func failure(_ code: SessionStoreError.Code) -> SessionStoreError {
        SessionStoreError(code, message: "The test has injected this failure.")
    }

    /// The record's bytes, which are available even while reads fail, or `nil` if there is no record.
    package var bytes: [UInt8]? {
        if case .present(let bytes, _) = memory.read() { bytes } else { nil }
    }

    /// Whether the store is empty.
    package var isEmpty: Bool { bytes == nil }

    /// Reads the record and counts the read.
    ///
    /// If a failure was injected, this method returns `unavailable` with that failure instead of the record.
    package func read() -> StoredRecord {
        if let failure = begin(.read) { return .unavailable(failure) }
        return memory.read()
    }

    /// Writes the record and counts the write.
    ///
    /// If a failure was injected, it is thrown before the record changes.
    package func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        if let failure = begin(.write) { throw failure }
        return try memory.write(bytes, basedOn: generation)
    }

    /// Removes the record and counts the removal.
    ///
    /// If a failure was injected, it is thrown before the record is removed.
    package func remove() throws(SessionStoreError) {
        if let failure = begin(.remove) { throw failure }
        try memory.remove()
    }

    /// Removes the record if it has the given generation, and counts the removal like ``remove()``.
    package func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        if let failure = begin(.remove) { throw failure }
        try memory.remove(basedOn: generation)
    }

    /// This method only counts the call and never fails.
    package func completeRemoval() {
        _ = begin(.completeRemoval)
    }

    /// Watches the memory store for changes.
    ///
    /// Failed changes are not reported.
    ///
    /// - Returns: The memory store's watch, which is never `nil`.
    package func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        memory.watch(onChange)
    }

    /// Returns the memory store's side store, whose operations are not counted and don't fail.
    package func sideStore(for scope: SideRecordScope) -> (any SessionStore)? {
        memory.sideStore(for: scope)
    }

    /// The memory store's lock.
    ///
    /// Every wait for the lock times out after 60 seconds, so that tests don't fail on slow machines.
    package var refreshLock: (any RefreshLock)? { memory.refreshLock.map(PatientLock.init) }

    /// Counts a call to an operation, runs the closure set for the operation, and returns the error to
    /// report.
    private func begin(_ operation: Operation) -> SessionStoreError? {
        let (hook, failure) = state.withLock { state in
            state.counts[operation, default: 0] += 1
            return (state.hooks.removeValue(forKey: operation), state.failures[operation])
        }
        hook?()
        return failure
    }
}

/// A refresh lock that doesn't time out on a busy machine.
private struct PatientLock: RefreshLock {
    let lock: any RefreshLock

    func wait(atMost time: Duration) -> HeldRefreshLock? {
        lock.wait(atMost: .seconds(60))
    }
}
