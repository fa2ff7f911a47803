import Foundation
import LatchkeyCore
import LatchkeyModel
import TestProcesses
import Testing

@testable import LatchkeyFileStore

/// Holds a lock like another process would.
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

@Suite struct `File store locks` {
    private let folders = StoreFolders()

    @Test func `Waiting for a lock has a time limit and does not block reads`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        let generation = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfWrite(basedOn: generation) == .locked)
        #expect(store.read().bytes == [1])

        holder.release()
        #expect(store.refusalOfWrite(basedOn: generation) == nil)
    }

    @Test func `The permissions of a lock file are restored, but not those of other files`() throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        guard let folder = try Folder(existing: folders.location.dataFolder) else {
            Issue.record("There is no folder.")
            return
        }
        let name = RecordName(server: "https://id.example", app: "app").lockName

        let isRestored = folder.restoreMode(of: name)
        chmod(folders.lockPath, 0o444)
        let isSecretRestored = folder.restoreMode(of: name)
        let isRestoredLater = folder.restoreMode(of: name, isSecret: false)
        symlink(folders.lockPath, folders.location.dataFolder + "/link")
        let isLinkRestored = folder.restoreMode(of: "link")

        #expect(
            [isRestored, isSecretRestored, isRestoredLater, isLinkRestored] == [false, false, true, false]
        )
        var status = stat()
        #expect(stat(folders.lockPath, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `A removal takes effect while the lock is held, and the holder can't undo it`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        let generation = try store.write([1], basedOn: 0)
        let former = try contents(folders.recordPath)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfRemoval() == nil)
        #expect(store.read().isAbsent)
        #expect(store.report.isErasurePending)
        // This simulates a writer that was suspended just before its last step.
        try write(former, to: folders.recordPath)
        #expect(store.read().isAbsent)
        holder.release()

        #expect(store.refusalOfWrite(basedOn: generation) == .conflict)
        #expect(store.read().isAbsent)
        #expect(!store.report.isErasurePending)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `A removal starts without waiting for the lock and is completed later`() throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        // The store's own timeout would be two minutes.
        try store.beginRemoval()

        #expect(folders.store(timeout: .zero).read().isAbsent)
        #expect(FileManager.default.fileExists(atPath: folders.recordPath))
        holder.release()
        store.completeRemoval()
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
        #expect(!store.report.isErasurePending)
    }

    @Test func `A removal that cannot acquire the lock also removes a record that is being written`() throws {
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

    @Test(arguments: [false, true]) func `A write isn't stored if its condition no longer holds`(
        isFirst: Bool
    ) throws {
        let store = folders.store()
        let generation = try isFirst ? 0 : store.write([1], basedOn: 0)
        try store.beginRemoval()

        #expect(throws: SessionStoreError.self) {
            try store.write([2], basedOn: generation, while: { false })
        }

        #expect(store.read().isAbsent)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
    }

    @Test func `Completing a removal does not acquire the lock if no removal is pending`() throws {
        let store = folders.store()
        let generation = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        store.completeRemoval()

        holder.release()
        #expect(store.read().generation == generation)
    }

    @Test func `A record that has a tombstone is erased by the next read`() throws {
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

    @Test func `A delayed removal does not affect a later login`() async throws {
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

    @Test func `A damaged record does not block the store forever`() throws {
        let store = folders.store(timeout: .milliseconds(10))
        _ = try store.write([1], basedOn: 0)
        try write([1], to: folders.recordPath)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.read().refusal == .unreadable)

        holder.release()
    }

    @Test func `The lock is released even if a child process has inherited the descriptor`() async throws {
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

    @Test func `If the lock file was deleted, the lock is acquired on the new file`() async throws {
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

    @Test func `A reader waits for a removal that is overwriting the record`() async throws {
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

    /// Waits until both the lock holder and the waiting store have opened the lock file.
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

/// A call on its own thread that may block.
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
