import Foundation
import LatchkeyCore
import LatchkeyModel
import TestProcesses
import Testing

@testable import LatchkeyFileStore

/// Holds a lock as another process would.
private final class Holder {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

@Suite struct `The lock of a file store` {
    private let folders = StoreFolders()

    @Test func `is waited for so long and no longer, and does not keep anybody from reading`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        let generation = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfWrite(basedOn: generation) == .locked)
        #expect(store.read().bytes == [1])

        holder.release()
        #expect(store.refusalOfWrite(basedOn: generation) == nil)
    }

    @Test func `does not keep a removal from being final, whatever its holder writes later`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        let generation = try store.write([1], basedOn: 0)
        let former = try contents(folders.recordPath)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfRemoval() == nil)
        #expect(store.read().isAbsent)
        #expect(store.report.isErasurePending)
        // What a writer that was stopped before its last step does when it goes on.
        try write(former, to: folders.recordPath)
        #expect(store.read().isAbsent)
        holder.release()

        #expect(store.refusalOfWrite(basedOn: generation) == .conflict)
        #expect(store.read().isAbsent)
        #expect(!store.report.isErasurePending)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `is not waited for by a removal that is begun, which is completed later`() throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        // The store's timeout would be two minutes.
        try store.beginRemoval()

        #expect(folders.store(timeout: .zero).read().isAbsent)
        #expect(FileManager.default.fileExists(atPath: folders.recordPath))
        holder.release()
        store.completeRemoval()
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
        #expect(!store.report.isErasurePending)
    }

    @Test func `covers a write that a removal meets: what it writes is dead`() throws {
        let store = folders.store()
        let generation = try store.write([1], basedOn: 0)

        _ = try store.write([2], basedOn: generation) {
            #expect(throws: Never.self) { try store.beginRemoval() }
            return true
        }

        #expect(FileManager.default.fileExists(atPath: folders.recordPath))
        #expect(folders.store().read().isAbsent)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test(arguments: [false, true]) func `keeps a write that was withdrawn from writing`(isFirst: Bool) throws
    {
        let store = folders.store()
        let generation = try isFirst ? 0 : store.write([1], basedOn: 0)
        try store.beginRemoval()

        #expect(throws: SessionStoreError.self) {
            try store.write([2], basedOn: generation, while: { false })
        }

        #expect(store.read().isAbsent)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `is not taken by a completion that has nothing to complete, which leaves the record`() throws {
        let store = folders.store()
        let generation = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        store.completeRemoval()

        holder.release()
        #expect(store.read().generation == generation)
    }

    @Test func `lets the first reader after it erase what a removal left`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        _ = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))
        try store.remove()
        #expect(FileManager.default.fileExists(atPath: folders.recordPath))
        holder.release()

        #expect(folders.store().read().isAbsent)

        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
        #expect(!FileManager.default.fileExists(atPath: folders.tombstonePath))
    }

    @Test func `lets a removal that waited for it leave a later login alone`() async throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))
        let removal = Attempt { store.refusalOfRemoval() }
        while !FileManager.default.fileExists(atPath: folders.tombstonePath) { await Task.yield() }

        // What the login does that comes before the one who waits.
        unlink(folders.recordPath)
        unlink(folders.tombstonePath)
        let other = folders.store(app: "other")
        _ = try other.write([2], basedOn: 0)
        try write(contents(folders.path(\.fileName, app: "other")), to: folders.recordPath)
        holder.release()

        #expect(await removal.outcome == nil)
        #expect(FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `does not turn a damaged record into a wait without end`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        _ = try store.write([1], basedOn: 0)
        try write([1], to: folders.recordPath)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.read().refusal == .unreadable)

        holder.release()
    }

    @Test func `lets go when it is given back, also while programs are being started`() async throws {
        let store = folders.store(timeout: .zero)
        let path = folders.lockPath
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { _ = try await ChildProcess.run(["true"]) }
            }
            var generation: UInt64 = 0
            for _ in 0..<200 {
                generation = try store.write([1], basedOn: generation)
                #expect(Holder(path).map { $0.release() } != nil)
            }
            try await group.waitForAll()
        }
    }

    @Test func `is that of the file which others see, not of one that was taken away`() async throws {
        let store = folders.store()
        let generation = try store.write([1], basedOn: 0)
        let first = try #require(Holder(folders.lockPath))

        let refusal = Attempt { store.refusalOfWrite(basedOn: generation) }
        try await waitForStore(unless: refusal)
        unlink(folders.lockPath)
        let second = try #require(Holder(folders.lockPath))
        first.release()
        try await waitForStore(unless: refusal)

        #expect(!refusal.isFinished)
        #expect(store.read().bytes == [1])
        second.release()
        #expect(await refusal.outcome == nil)
    }

    @Test func `lets a reader wait for the removal that overwrites what it reads`() async throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))
        try write([0, 0, 0], to: folders.recordPath)

        let record = Attempt { store.read() }
        try await waitForStore(unless: record)
        unlink(folders.recordPath)
        holder.release()

        #expect(await record.outcome.isAbsent)
    }

    /// Waits until two descriptors are on the lock file: the holder's, and that of the store, which waits.
    private func waitForStore<Value>(unless attempt: Attempt<Value>) async throws {
        while !attempt.isFinished {
            let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
            }
            if links.count(where: { $0 == folders.lockPath }) >= 2 { return }
            await Task.yield()
        }
    }
}

/// A call that may wait, on a thread of its own.
private struct Attempt<Value: Sendable>: Sendable {
    private let task: Task<Value, Never>
    private let finished = Locked(false)

    init(_ body: @escaping @Sendable () -> Value) {
        let finished = finished
        task = Task {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let value = body()
                    finished.withLock { $0 = true }
                    continuation.resume(returning: value)
                }
            }
        }
    }

    var isFinished: Bool { finished.withLock { $0 } }

    var outcome: Value {
        get async { await task.value }
    }
}
