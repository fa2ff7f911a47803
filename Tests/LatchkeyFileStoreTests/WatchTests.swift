import Foundation
import LatchkeyCore
import LatchkeyModel
import Testing

@testable import LatchkeyFileStore

/// Waits for the calls of a watch.
final class Calls: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    func note() {
        let done = state.withLock { state in
            state.count += 1
            let done = state.waiters.filter { $0.count <= state.count }
            state.waiters.removeAll { $0.count <= state.count }
            return done
        }
        for waiter in done { waiter.continuation.resume() }
    }

    /// Waits until there have been more calls than some.
    func more(than count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count > count { return true }
                state.waiters.append((count + 1, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A watch on a file store` {
    private let folders = StoreFolders()
    private let calls = Calls()

    /// Makes a change and waits until it is heard of.
    private func expectCall(_ change: () throws -> Void) async throws {
        let before = calls.count
        try change()
        await calls.more(than: before)
    }

    @Test func `hears of every write and removal, by whichever access`() async throws {
        let store = folders.store()
        let calls = calls
        let watch = try #require(folders.store().watch { calls.note() })
        var generation: UInt64 = 0

        try await expectCall { generation = try store.write([1], basedOn: 0) }
        try await expectCall { generation = try store.write([2], basedOn: generation) }
        try await expectCall { try store.remove() }
        try await expectCall { _ = try store.write([3], basedOn: 0) }
        watch.stop()
    }

    @Test func `hears of a record in a folder that was made anew`() async throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        let calls = calls
        let watch = try #require(store.watch { calls.note() })

        for _ in 0..<3 {
            try await expectCall {
                try FileManager.default.removeItem(atPath: folders.location.dataFolder)
            }
            #expect(store.read().isAbsent)
            try await expectCall { _ = try store.write([1], basedOn: 0) }
        }
        try await expectCall { rename(folders.location.dataFolder, folders.root + "/kept") }
        try await expectCall { rename(folders.root + "/kept", folders.location.dataFolder) }
        try await expectCall { try store.remove() }
        watch.stop()
    }

    @Test func `hears nothing of other apps, and nothing after its end`() async throws {
        let store = folders.store()
        let first = try store.write([1], basedOn: 0)
        let (calls, ended) = (calls, Calls())
        let watch = try #require(store.watch { calls.note() })
        var other = folders.store().watch { ended.note() }
        #expect(other != nil)
        other = nil

        let others = Calls()
        let otherWatch = try #require(folders.store(app: "other").watch { others.note() })
        var generation: UInt64 = 0
        for count in 0..<5 {
            generation = try folders.store(app: "other").write([1], basedOn: generation)
            await others.more(than: count)
        }
        #expect(calls.count == 0)
        // One change may be told of more than once.
        try await expectCall { _ = try store.write([2], basedOn: first) }
        #expect(ended.count == 0)
        watch.stop()
        otherWatch.stop()
    }

    @Test func `leaves no descriptor behind`() async throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        // The system allows 128 of them to all tests together. Their ends are asynchronous and waited for.
        for _ in 0..<300 {
            let watch = try #require(store.watch {})
            watch.stop()
            while try Self.openWatches() > 32 { await Task.yield() }
        }
    }

    /// How many descriptors of this process watch files.
    private static func openWatches() throws -> Int {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)
            return target?.contains("inotify") == true
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A refresh lock on a file` {
    private let folders = StoreFolders()

    @Test func `has one holder at a time, and is given up on after the time`() throws {
        let (one, other) = (try #require(folders.store().refreshLock), folders.store().refreshLock)
        let held = try #require(one.wait(atMost: .zero))

        #expect(other?.wait(atMost: .milliseconds(5)) == nil)
        held.release()
        #expect(other?.wait(atMost: .zero) != nil)
        #expect(one.wait(atMost: .zero) != nil)
    }

    @Test func `keeps nobody from writing, and is that of one app`() throws {
        let held = try #require(folders.store().refreshLock?.wait(atMost: .zero))

        #expect(folders.store(patience: .zero).refusalOfWrite() == nil)
        #expect(folders.store(app: "other").refreshLock?.wait(atMost: .zero) != nil)
        held.release()
    }
}
