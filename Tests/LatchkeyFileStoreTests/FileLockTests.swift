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

@Suite struct `File store lock` {
    private let folders = StoreFolders()

    @Test func `limits the wait for a held lock, and does not block reads`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        let generation = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfWrite(basedOn: generation) == .locked)
        #expect(store.read().bytes == [1])

        holder.release()
        #expect(store.refusalOfWrite(basedOn: generation) == nil)
    }

    @Test func `does not delay a removal, which also covers later writes of the holder`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        let generation = try store.write([1], basedOn: 0)
        let former = try contents(folders.recordPath)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfRemoval() == nil)
        #expect(store.read().isAbsent)
        #expect(store.report.isErasurePending)
        // The last step of a writer that was suspended before this step.
        try write(former, to: folders.recordPath)
        #expect(store.read().isAbsent)
        holder.release()

        #expect(store.refusalOfWrite(basedOn: generation) == .conflict)
        #expect(store.read().isAbsent)
        #expect(!store.report.isErasurePending)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `begins a removal without waiting for the lock, and completes it later`() throws {
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

    @Test func `marks a concurrent write as removed when a removal finds the lock held`() throws {
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

    @Test(arguments: [false, true]) func `prevents a withdrawn write`(isFirst: Bool) throws {
        let store = folders.store()
        let generation = try isFirst ? 0 : store.write([1], basedOn: 0)
        try store.beginRemoval()

        #expect(throws: SessionStoreError.self) {
            try store.write([2], basedOn: generation, while: { false })
        }

        #expect(store.read().isAbsent)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `does not acquire the lock to complete a removal that is not pending`() throws {
        let store = folders.store()
        let generation = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        store.completeRemoval()

        holder.release()
        #expect(store.read().generation == generation)
    }

    @Test func `lets the next reader erase a record that a removal marked`() throws {
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

    @Test func `does not let a delayed removal change a later login`() async throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))
        let removal = Attempt { store.refusalOfRemoval() }
        while !FileManager.default.fileExists(atPath: folders.tombstonePath) { await Task.yield() }

        // A login is stored before the waiting removal continues.
        unlink(folders.recordPath)
        unlink(folders.tombstonePath)
        let other = folders.store(app: "other")
        _ = try other.write([2], basedOn: 0)
        try write(contents(folders.path(\.fileName, app: "other")), to: folders.recordPath)
        holder.release()

        #expect(await removal.outcome == nil)
        #expect(FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `does not block forever on a damaged record`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        _ = try store.write([1], basedOn: 0)
        try write([1], to: folders.recordPath)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.read().refusal == .unreadable)

        holder.release()
    }

    @Test func `releases the lock although a child process inherited the descriptor`() async throws {
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

    @Test func `locks the current lock file, not a deleted one`() async throws {
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

    @Test func `makes a reader wait for a removal that overwrites the record`() async throws {
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

    /// Waits until two descriptors refer to the lock file: the holder's and the waiting store's.
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

/// A call that may block, on its own thread.
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
