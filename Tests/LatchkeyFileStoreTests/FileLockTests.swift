import Foundation
import LatchkeyCore
import Testing

@testable import LatchkeyFileStore

/// Holds a lock as another process would.
private final class Holder {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    func release() { close(descriptor) }
}

@Suite struct `The lock of a file store` {
    private let folders = StoreFolders()

    @Test func `is waited for so long and no longer, and does not keep anybody from reading`() throws {
        let store = folders.store(patience: .milliseconds(10))
        let generation = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfWrite(basedOn: generation) == .locked)
        #expect(store.read().bytes == [1])

        holder.release()
        #expect(store.refusalOfWrite(basedOn: generation) == nil)
    }

    @Test func `does not keep a removal from taking the record, but the removal says so`() throws {
        let store = folders.store(patience: .milliseconds(10))
        _ = try store.write([1], basedOn: 0)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.refusalOfRemoval() == .locked)
        #expect(store.read().isAbsent)

        holder.release()
        #expect(store.refusalOfRemoval() == nil)
    }

    @Test func `does not turn a damaged record into a wait without end`() throws {
        let store = folders.store(patience: .milliseconds(10))
        _ = try store.write([1], basedOn: 0)
        try write([1], to: folders.recordPath)
        let holder = try #require(Holder(folders.lockPath))

        #expect(store.read().refusal == .unreadable)

        holder.release()
    }

    @Test func `lets go when it is given back`() throws {
        let store = folders.store(patience: .zero)
        var generation: UInt64 = 0
        for _ in 0..<100 {
            generation = try store.write([1], basedOn: generation)
            #expect(Holder(folders.lockPath).map { $0.release() } != nil)
        }
    }

    @Test func `is that of the file which others see, not of one that was taken away`() async throws {
        _ = try folders.store().write([1], basedOn: 0)
        let first = try #require(Holder(folders.lockPath))
        let (folders, waiting) = (folders, folders.store(patience: .milliseconds(200)))

        async let refusal = withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: waiting.refusalOfWrite(basedOn: 0)) }
        }
        // Two descriptors on the lock file: the holder's, and that of the store, which now waits.
        while try descriptors(on: folders.lockPath) < 2 { await Task.yield() }
        unlink(folders.lockPath)
        let second = try #require(Holder(folders.lockPath))
        first.release()

        #expect(await refusal == .locked)
        second.release()
    }

    private func descriptors(on path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == path
        }
    }
}
