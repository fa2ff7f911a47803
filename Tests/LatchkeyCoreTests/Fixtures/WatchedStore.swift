import LatchkeyCore
import LatchkeyModel

/// A memory store that counts what is done with it, and lets a test do something in the middle of it.
final class WatchedStore: SessionStore {
    enum Operation: Hashable, Sendable {
        case read, write, remove, complete
    }

    private struct State {
        var hooks: [Operation: @Sendable () -> Void] = [:]
        var counts: [Operation: Int] = [:]
        var failures: [Operation: SessionStoreError] = [:]
    }

    let memory = MemoryStore()
    private let state = Locked(State())

    func count(of operation: Operation) -> Int {
        state.withLock { $0.counts[operation] ?? 0 }
    }

    /// Runs something once, in the middle of an operation.
    func during(_ operation: Operation, _ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.hooks[operation] = run }
    }

    func fail(_ operation: Operation, with failure: SessionStoreError?) {
        state.withLock { $0.failures[operation] = failure }
    }

    func read() -> StoredRecord {
        if let failure = note(.read) { return .unavailable(failure) }
        return memory.read()
    }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        if let failure = note(.write) { throw failure }
        return try memory.write(bytes, basedOn: generation)
    }

    func remove() throws(SessionStoreError) {
        if let failure = note(.remove) { throw failure }
        try memory.remove()
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        if let failure = note(.remove) { throw failure }
        try memory.remove(basedOn: generation)
    }

    func completeRemoval() {
        _ = note(.complete)
    }

    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        memory.watch(onChange)
    }

    var refreshLock: (any RefreshLock)? { memory.refreshLock }

    /// The record; nothing when there is none.
    var bytes: [UInt8]? {
        if case .present(let bytes, _) = memory.read() { bytes } else { nil }
    }

    private func note(_ operation: Operation) -> SessionStoreError? {
        let (hook, failure) = state.withLock { state in
            state.counts[operation, default: 0] += 1
            return (state.hooks.removeValue(forKey: operation), state.failures[operation])
        }
        hook?()
        return failure
    }
}
