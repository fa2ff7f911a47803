import Foundation
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyFileStore

/// Counts how many times a watch has reported a change.
final class Calls: Sendable {
    private struct State: Sendable {
        var count = 0
        var isCancelled = false
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

    /// Waits until the number of calls exceeds a value or the test is cancelled.
    func more(than count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.count > count || state.isCancelled { return true }
                    state.waiters.append((count + 1, continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiters = state.withLock { state in
                defer { (state.isCancelled, state.waiters) = (true, []) }
                return state.waiters
            }
            for waiter in waiters { waiter.continuation.resume() }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `File store watches` {
    private let folders = StoreFolders()
    private let calls = Calls()

    /// Makes a change and waits until it is reported.
    private func expectCall(_ change: () throws -> Void) async throws {
        let before = calls.count
        try change()
        await calls.more(than: before)
    }

    @Test func `Writes and removals by all instances are reported`() async throws {
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

    @Test func `A record in a folder that was deleted and created again is reported`() async throws {
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
        try await expectCall {
            rename(folders.location.dataFolder, folders.root + "/kept")
            rename(folders.root + "/kept", folders.location.dataFolder)
        }
        try await expectCall { rename(folders.location.dataFolder, folders.root + "/kept") }
        try await expectCall { rename(folders.root + "/kept", folders.location.dataFolder) }
        try await expectCall { try store.remove() }
        watch.stop()
    }

    @Test func `A watch ignores other apps, and reports no changes after being stopped`() async throws {
        let store = folders.store()
        var generation = try folders.store(app: "other").write([1], basedOn: 0)
        // We don't write this app's record before its watch has started. A process that another test starts
        // at that time could inherit the file's descriptor, and the kernel wouldn't report that the file was
        // closed until that process has closed it as well.
        let (calls, ended) = (calls, Calls())
        let watch = try #require(store.watch { calls.note() })
        var other = folders.store().watch { ended.note() }
        #expect(other != nil)
        other = nil

        let others = Calls()
        let otherWatch = try #require(folders.store(app: "other").watch { others.note() })
        for _ in 0..<5 {
            let before = others.count
            generation = try folders.store(app: "other").write([1], basedOn: generation)
            await others.more(than: before)
        }
        #expect(calls.count == 0)
        // A change may be reported more than once.
        try await expectCall { _ = try store.write([2], basedOn: 0) }
        #expect(ended.count == 0)
        watch.stop()
        otherWatch.stop()
    }

    @Test func `All watches of a folder share one inotify watch until the last of them is closed`() throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        var status = stat()
        #expect(stat(folders.location.dataFolder, &status) == 0)
        let folder = "ino:" + String(status.st_ino, radix: 16) + " "

        let watches = try (0..<300).map { _ in try #require(store.watch {}) }
        #expect(watches.allSatisfy { $0.problem == nil })
        #expect(try Self.kernelWatches().count { $0.contains(folder) } == 1)

        for watch in watches.dropLast() { watch.stop() }
        #expect(try Self.kernelWatches().count { $0.contains(folder) } == 1)
        watches.last?.stop()
        #expect(try Self.kernelWatches().count { $0.contains(folder) } == 0)
    }

    @Test func `A watch continues when another watch of the same folder stops`() async throws {
        let store = folders.store()
        var generation = try store.write([1], basedOn: 0)
        let calls = calls
        let watch = try #require(store.watch { calls.note() })
        for _ in 0..<3 {
            let other = try #require(store.watch {})
            try await expectCall { generation = try store.write([2], basedOn: generation) }
            other.stop()
            try await expectCall { generation = try store.write([3], basedOn: generation) }
        }
        watch.stop()
    }

    /// All inotify watches of this process.
    private static func kernelWatches() throws -> [Substring] {
        let folder = "/proc/self/"
        return try FileManager.default.contentsOfDirectory(atPath: folder + "fd").flatMap { name in
            let path = folder + "fd/" + name
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            guard target?.contains("inotify") == true else { return [Substring]() }
            // The descriptor may have been closed in the meantime.
            let info = (try? String(contentsOfFile: folder + "fdinfo/" + name, encoding: .utf8)) ?? ""
            return info.split(separator: "\n").filter { $0.hasPrefix("inotify ") }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Watches without inotify` {
    private let folders = StoreFolders()
    private let time = VirtualTime()

    private func watch(failingWith error: Int32, onChange: @escaping @Sendable () -> Void) throws
        -> StoreWatch
    {
        let events = FolderEvents {
            errno = error
            return -1
        }
        let names = RecordName(server: "https://id.example", app: "app").watchedNames
        return try #require(
            FolderWatch.start(
                on: folders.location.dataFolder,
                names: names,
                events: events,
                time: time,
                onChange: onChange
            )
        )
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM])
    func `An inotify error contains the system's reason`(_ error: Int32) throws {
        let watch = try watch(failingWith: error) {}

        let problem = try #require(watch.problem)
        #expect(problem.contains(String(cString: strerror(error))))
        #expect(problem.contains("fs.inotify.max_user_instances"))
        watch.stop()
    }

    @Test func `Polling every two seconds reports every write and removal`() async throws {
        let store = folders.store()
        let calls = Calls()
        let watch = try watch(failingWith: EMFILE) { calls.note() }
        var generation: UInt64 = 0
        let changes: [() throws -> Void] = [
            { generation = try store.write([1], basedOn: 0) },
            { generation = try store.write([2], basedOn: generation) },
            { try store.remove() },
        ]

        for (count, change) in changes.enumerated() {
            await time.sleepers(atLeast: 1)
            try change()
            time.advance(by: .seconds(2))
            await calls.more(than: count)
        }

        #expect(calls.count == 3)
        watch.stop()
    }

    @Test func `Polling doesn't report unchanged records, and ends when the watch is stopped`() async throws {
        let store = folders.store()
        let generation = try store.write([1], basedOn: 0)
        let calls = Calls()
        let watch = try watch(failingWith: EMFILE) { calls.note() }

        for _ in 1...3 {
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(2))
        }
        await time.sleepers(atLeast: 1)
        watch.stop()
        _ = try store.write([2], basedOn: generation)

        #expect(time.untilNextWake == nil)
        #expect(calls.count == 0)
    }

    @Test func `Polling detects that a marker file was touched`() throws {
        mkdir(folders.root + "/marks", 0o700)
        guard let folder = try Folder(existing: folders.root + "/marks") else {
            Issue.record("The folder does not exist.")
            return
        }
        try folder.mark("mark")
        var old = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folders.root + "/marks/mark", &old, 0) == 0)
        let before = FileStamp.all(["mark"], in: folders.root + "/marks")

        folder.touch("mark")

        #expect(FileStamp.all(["mark"], in: folders.root + "/marks") != before)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `File refresh locks` {
    private let folders = StoreFolders()

    @Test func `The lock has one holder at a time, and waiting for it has a time limit`() throws {
        let (one, other) = (try #require(folders.store().refreshLock), folders.store().refreshLock)
        let held = try #require(one.wait(atMost: .zero))

        #expect(other?.wait(atMost: .milliseconds(5)) == nil)
        held.release()
        #expect(other?.wait(atMost: .zero) != nil)
        #expect(one.wait(atMost: .zero) != nil)
    }

    @Test func `The lock does not block writes and is separate for each app`() throws {
        let held = try #require(folders.store().refreshLock?.wait(atMost: .zero))

        #expect(folders.store(timeout: .zero).refusalOfWrite() == nil)
        #expect(folders.store(app: "other").refreshLock?.wait(atMost: .zero) != nil)
        held.release()
    }
}
