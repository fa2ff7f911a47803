import Latchkey
import LatchkeyModel

/// A memory store whose reads or writes a test makes fail.
final class FragileStore: SessionStore {
    let memory = MemoryStore()
    private let failures = Locked<(read: SessionStoreError?, write: SessionStoreError?)>((nil, nil))

    func failReads(_ code: SessionStoreError.Code?) {
        failures.withLock { $0.read = code.map { SessionStoreError($0, "As planned.") } }
    }

    func failWrites(_ code: SessionStoreError.Code?) {
        failures.withLock { $0.write = code.map { SessionStoreError($0, "As planned.") } }
    }

    func read() -> StoredRecord {
        failures.withLock { $0.read }.map { .unavailable($0) } ?? memory.read()
    }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        if let failure = failures.withLock({ $0.write }) { throw failure }
        return try memory.write(bytes, basedOn: generation)
    }

    func remove() throws(SessionStoreError) {
        try memory.remove()
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
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
