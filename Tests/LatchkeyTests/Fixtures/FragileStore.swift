import Latchkey
import LatchkeyModel

/// A memory store whose reads, writes or removals a test makes fail.
final class FragileStore: SessionStore {
    let memory = MemoryStore()
    private let failures = Locked<[Operation: SessionStoreError]>([:])

    private enum Operation {
        case read, write, remove
    }

    func failReads(_ code: SessionStoreError.Code?) {
        fail(.read, code)
    }

    func failWrites(_ code: SessionStoreError.Code?) {
        fail(.write, code)
    }

    func failRemovals(_ code: SessionStoreError.Code?) {
        fail(.remove, code)
    }

    private func fail(_ operation: Operation, _ code: SessionStoreError.Code?) {
        failures.withLock { $0[operation] = code.map { SessionStoreError($0, message: "As planned.") } }
    }

    private func requireFine(_ operation: Operation) throws(SessionStoreError) {
        if let failure = failures.withLock({ $0[operation] }) { throw failure }
    }

    func read() -> StoredRecord {
        failures.withLock { $0[.read] }.map { .unavailable($0) } ?? memory.read()
    }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try requireFine(.write)
        return try memory.write(bytes, basedOn: generation)
    }

    func remove() throws(SessionStoreError) {
        try requireFine(.remove)
        try memory.remove()
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try requireFine(.remove)
        try memory.remove(basedOn: generation)
    }

    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        memory.watch(onChange)
    }

    var refreshLock: (any RefreshLock)? { memory.refreshLock.map(PatientLock.init) }

    var isEmpty: Bool {
        if case .absent = memory.read() { true } else { false }
    }
}

/// A lock for which everybody waits as long as it takes, however busy the machine is.
private struct PatientLock: RefreshLock {
    let lock: any RefreshLock

    func wait(atMost time: Duration) -> HeldRefreshLock? {
        lock.wait(atMost: .seconds(60))
    }
}
