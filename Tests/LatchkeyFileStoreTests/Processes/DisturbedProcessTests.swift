import Foundation
import LatchkeyCore
import TestProcesses
import Testing

@testable import LatchkeyFileStore

@Suite(.timeLimit(.minutes(5))) struct `File store in several processes` {
    /// The system calls that change files.
    ///
    /// The tracer counts the occurrences of each system call separately.
    private static let calls = ["mkdir", "flock", "pwrite64", "fsync", "renameat", "unlinkat"]

    @Test(arguments: DisturbedOperation.all)
    func `The store stays consistent if the process is killed before any system call`(
        scene: DisturbedOperation
    )
        async throws
    {
        var kills = 0
        for call in Self.calls {
            kills += try await disturb(scene, call, "signal=KILL", isLasting: false)
        }
        #expect(kills >= 5)
    }

    @Test(arguments: DisturbedOperation.all)
    func `The store stays consistent if the disk is full at any system call`(scene: DisturbedOperation)
        async throws
    {
        for call in Self.calls where call != "flock" {
            _ = try await disturb(scene, call, "error=ENOSPC", isLasting: true)
        }
    }

    /// Injects a fault into an operation at the first occurrence of a system call, then at the second and so
    /// on, until there are no more.
    ///
    /// - Returns: The number of system calls that a fault was injected into.
    private func disturb(
        _ scene: DisturbedOperation,
        _ call: String,
        _ fault: String,
        isLasting: Bool
    ) async throws -> Int {
        for number in 1...100 {
            let folders = ProbeFolders()
            try scene.prepare(folders)
            let disturber = StoreProbe.disturbing(
                "?" + call,
                fault,
                at: isLasting ? "\(number)+" : "\(number)"
            )
            let line = try await folders.probe.run(scene.operation, under: disturber).first

            let found = text(folders.store().read())
            let place: Comment = "\(call) \(number): \(line ?? "killed")"
            #expect([scene.before, scene.after].contains(found), place)
            let isDone = line.map { $0.hasPrefix("written") || $0 == "removed" } ?? false
            #expect(isDone ? found == scene.after : line == nil || line == "error failed", place)

            // The next process can use the store and leaves no temporary file behind.
            let generation = folders.store().read().generation ?? 0
            #expect(throws: Never.self, place) { try folders.store().write([1], basedOn: generation) }
            #expect(folders.leftovers == [], place)
            #expect(throws: Never.self, place) { try folders.store().remove() }
            #expect(folders.store().read().isAbsent, place)
            if isDone { return number - 1 }
        }
        Issue.record("The operation never ends.")
        return 100
    }

    @Test func `A stopped process cannot restore a session that was removed in the meantime`() async throws {
        let folders = ProbeFolders()
        let store = folders.store(timeout: .milliseconds(10))
        _ = try folders.store().write(Array("old".utf8), basedOn: 0)
        // The process stops after this call, which means that the new record has been written but its file
        // hasn't been renamed.
        let stopper = StoreProbe.disturbing("fsync", "signal=STOP", at: "1")
        let writer = try await folders.probe.start("pid", "login:back", under: stopper)
        let number = try #require(
            Int32(await writer.output(until: "\n").dropFirst(4).split(separator: "\n")[0])
        )
        while !folders.leftovers.contains(where: { $0.hasSuffix(".tmp") }) { await Task.yield() }

        #expect(store.refusalOfRemoval() == nil)
        #expect(store.read().isAbsent)
        // The signal that stops the process may not have arrived yet.
        let going = Task {
            while !Task.isCancelled {
                kill(number, SIGCONT)
                await Task.yield()
            }
        }
        #expect(await writer.outcome().output.contains("written"))
        going.cancel()

        #expect(store.read().isAbsent)
        _ = try store.write(Array("later".utf8), basedOn: 0)
        #expect(text(store.read()) == "later")
        #expect(folders.leftovers == [])
    }

    @Test func `Concurrent processes do not lose any changes`() async throws {
        let folders = ProbeFolders()
        _ = try folders.store().write(Array("0".utf8), basedOn: 0)
        let probe = folders.probe
        let outputs = try await withThrowingTaskGroup { group in
            for _ in 0..<6 { group.addTask { try await probe.run("increment:25") } }
            return try await group.reduce(into: []) { $0 += $1 }
        }

        #expect(outputs == Array(repeating: "incremented", count: 6))
        #expect(text(folders.store().read()) == "150")
    }

    @Test func `Changes are reported to other processes`() async throws {
        let folders = ProbeFolders()
        let calls = Calls()
        let watch = try #require(folders.store().watch { calls.note() })
        _ = try await folders.probe.run("login:new")
        await calls.more(than: 0)
        #expect(text(folders.store().read()) == "new")

        let before = calls.count
        _ = try await folders.probe.run("remove")
        await calls.more(than: before)
        #expect(folders.store().read().isAbsent)
        watch.stop()
    }

    @Test func `A process that is stopped or killed during a refresh loses the refresh lock`() async throws {
        let folders = ProbeFolders()
        let lock = try #require(folders.store().refreshLock)
        let holder = try await folders.probe.start("refresh:0:keep")
        #expect(await holder.output(until: "held") == "held\n")
        #expect(try await folders.probe.run("refresh:1") == ["not held"])

        holder.signal(SIGSTOP)
        #expect(lock.wait(atMost: .milliseconds(5)) == nil)
        holder.signal(SIGKILL)
        _ = await holder.outcome()

        #expect(lock.wait(atMost: .zero) != nil)
        #expect(try await folders.probe.run("refresh:0") == ["held"])
    }

    private func text(_ record: StoredRecord) -> String? {
        switch record {
        case .present(let bytes, _): String(decoding: bytes, as: UTF8.self)
        case .absent: nil
        case .unavailable(let error): "unavailable: \(error)"
        }
    }
}
