import Foundation
import LatchkeyCore
import LatchkeyFileStore
import LatchkeyTestKit
import TestProcesses
import Testing

@testable import LatchkeySecretService

extension Desktop {
    /// Creates an app's store inside or outside of this desktop session.
    func fallbackStore(app: String = "app", hasBus: Bool = true) -> FallbackSessionStore {
        FallbackSessionStore(
            keyring: SecretServiceStore(
                server: "https://id.example",
                app: app,
                folder: root + "/data",
                bus: hasBus ? SessionBus(address: address) : nil,
                timeout: .seconds(10)
            ),
            file: file(app: app)
        )
    }

    func file(app: String = "app") -> EncryptedFileStore {
        EncryptedFileStore(
            server: "https://id.example",
            app: app,
            location: StoreLocation(dataFolder: root + "/data", keyFolder: root + "/key")
        )
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Fallback session store` {
    @Test func `The store passes the conformance checks with the keyring and with the file`() async throws {
        try await Desktop.with { (desktop) async throws in
            for hasBus in [true, false] {
                let violations = await SessionStoreConformance { desktop.fallbackStore(hasBus: hasBus) }
                    .violations()
                #expect(violations == [])
            }
        }
    }

    @Test func `The keyring is preferred, and the choice is reported`() async throws {
        try await Desktop.with { (desktop) async throws in
            let fallback = desktop.fallbackStore()
            #expect(try await off { fallback.report.level } == .keyring)
            _ = try await fallback.writing("a record").get()

            #expect(try await off { fallback.report.level } == .keyring)
            #expect(desktop.marks == [".keyring"])
            #expect(try await desktop.file().reading() == .absent)
        }
    }

    @Test func `A record in a file stays there even if a keyring becomes available`() async throws {
        try await Desktop.with { (desktop) async throws in
            let outside = desktop.fallbackStore(hasBus: false)
            let report = try await off { outside.report }
            #expect(report.level == .file)
            #expect(report.reason.contains("No D-Bus session bus is available."))
            let generation = try await outside.writing("a record").get()

            let inside = desktop.fallbackStore()
            #expect(try await inside.reading() == .present("a record"))
            #expect(try await off { inside.report.level } == .file)
            _ = try await inside.writing("another", basedOn: generation).get()
            #expect(try await outside.reading() == .present("another"))

            #expect(try await inside.removing() == nil)
            #expect(try await outside.reading() == .absent)
            #expect(try await off { desktop.fallbackStore().report.level } == .keyring)
        }
    }

    @Test func `A record can be read immediately from the file, but not from the keyring`() async throws {
        try await Desktop.with { (desktop) async throws in
            #expect(try await off { desktop.fallbackStore().readImmediately() == nil })
            _ = try await desktop.fallbackStore(hasBus: false).writing("a record").get()
            #expect(
                try await off { desktop.fallbackStore().readImmediately().map { Reading($0) } }
                    == .present("a record")
            )
            #expect(try await desktop.fallbackStore().removing() == nil)

            _ = try await desktop.fallbackStore().writing("in the keyring").get()
            #expect(try await off { desktop.fallbackStore().readImmediately() == nil })
        }
    }

    @Test func `A record in an unavailable keyring is not treated as absent`() async throws {
        try await Desktop.with { (desktop) async throws in
            _ = try await desktop.fallbackStore().writing("a record").get()
            let outside = desktop.fallbackStore(hasBus: false)

            #expect(try await outside.reading() == .unavailable(.failed))
            #expect(try await outside.writing("no") == .failure(Refusal(code: .failed)))
            #expect(try await off { outside.report.level } == .keyring)
            await desktop.stopKeyring()
            #expect(try await desktop.fallbackStore().reading() == .unavailable(.failed))
            try await desktop.startKeyring(unlocked: false)
            #expect(try await desktop.fallbackStore().reading() == .unavailable(.locked))
            try await desktop.unlock()
            #expect(try await desktop.fallbackStore().reading() == .present("a record"))
            #expect(try await desktop.file().reading() == .absent)
        }
    }

    @Test func `The record is removed even if the keyring is unavailable`() async throws {
        try await Desktop.with { (desktop) async throws in
            _ = try await desktop.fallbackStore().writing("a record").get()

            #expect(try await desktop.fallbackStore(hasBus: false).removing() == nil)

            #expect(try await desktop.fallbackStore(hasBus: false).reading() == .absent)
            #expect(try await desktop.fallbackStore().reading() == .absent)
            #expect(desktop.marks == [])
        }
    }

    @Test func `After a removal, a keyring that no longer exists does not block the next write`() async throws
    {
        try await Desktop.with { (desktop) async throws in
            _ = try await desktop.fallbackStore().writing("a record").get()
            await desktop.stopKeyring()
            let store = desktop.fallbackStore()
            #expect(try await store.writing("no") == .failure(Refusal(code: .failed)))
            #expect(try await store.removing() == nil)

            let generation = try await store.writing("later").get()

            #expect(try await desktop.fallbackStore().reading() == .present("later"))
            let immediate = try await off { desktop.fallbackStore().readImmediately().map { Reading($0) } }
            #expect(immediate == .present("later"))
            #expect(desktop.marks.contains(".keyring-removed"))
            // The keyring with the removed record returns.
            try await desktop.startKeyring()
            #expect(try await desktop.fallbackStore().reading() == .present("later"))
            #expect(!desktop.marks.contains(".keyring-removed"))
            #expect(try await desktop.store().reading() == .absent)
            _ = try await desktop.fallbackStore().writing("latest", basedOn: generation).get()
            #expect(try await desktop.fallbackStore(hasBus: false).reading() == .present("latest"))
        }
    }

    @Test func `A restored file beside a record in the keyring is ignored and does not block writes`()
        async throws
    {
        try await Desktop.with { (desktop) async throws in
            let path =
                desktop.root + "/data/" + RecordName(server: "https://id.example", app: "app").fileName
            let outside = desktop.fallbackStore(hasBus: false)
            _ = try await outside.writing("old").get()
            let backup = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(try await outside.removing() == nil)
            let generation = try await desktop.fallbackStore().writing("a record").get()
            try backup.write(to: URL(fileURLWithPath: path))
            chmod(path, 0o600)

            #expect(try await desktop.fallbackStore().reading() == .present("a record"))
            _ = try await desktop.fallbackStore().writing("another", basedOn: generation).get()

            #expect(try await desktop.fallbackStore().reading() == .present("another"))
            #expect(try await desktop.file().reading() == .absent)
        }
    }

    @Test func `A file is not removed if the keyring's record was removed in the meantime`() async throws {
        try await Desktop.with { (desktop) async throws in
            _ = try await desktop.fallbackStore().writing("a record").get()
            await desktop.stopKeyring()
            #expect(try await desktop.fallbackStore(hasBus: false).removing() == nil)
            _ = try await desktop.fallbackStore().writing("later").get()

            try await off { try desktop.file().removeBesideKeyring() }

            #expect(try await desktop.fallbackStore().reading() == .present("later"))
        }
    }

    @Test func `There is only one record even if processes choose a store concurrently`() async throws {
        try await Desktop.with { (desktop) async throws in
            let (inside, outside) = (desktop.fallbackStore(), desktop.fallbackStore(hasBus: false))
            // Each process chooses a store before the other one writes.
            #expect(try await inside.reading() == .absent)
            #expect(try await outside.reading() == .absent)
            _ = try await inside.writing("inside").get()
            let late = desktop.file().asFallbackLevel
            #expect(try await late.writing("outside") == .failure(Refusal(code: .conflict)))

            #expect(try await inside.removing() == nil)
            _ = try await outside.writing("outside").get()
            let other = desktop.store().asFallbackLevel
            #expect(try await other.writing("inside") == .failure(Refusal(code: .conflict)))
        }
    }

    @Test func `Several processes can use the store inside and outside a desktop session`() async throws {
        try await Desktop.with { (desktop) async throws in
            let inside = StoreProbe(desktop.root, level: "automatic", environment: desktop.environment)
            let outside = StoreProbe(desktop.root, level: "automatic")

            #expect(try await inside.run("login:a")[0].hasPrefix("written"))
            #expect(try await outside.run("read")[0].hasPrefix("unavailable failed"))
            #expect(try await inside.run("read")[0].hasSuffix(" a"))
            #expect(try await inside.run("remove", "read") == ["removed", "absent"])
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Keyring store in several processes` {
    @Test(arguments: [("login:new", "new"), ("remove", nil)], ["flock", "fsync", "unlinkat", "sendmsg"])
    func `Killing the process before any system call leaves a consistent keyring`(
        operation: (name: String, after: String?),
        call: String
    ) async throws {
        try await Desktop.with { (desktop) async throws in
            let probe = StoreProbe(desktop.root, level: "keyring", environment: desktop.environment)
            for number in 1...100 {
                #expect(try await probe.run("login:old")[0].hasPrefix("written"))
                let killer = StoreProbe.disturbing("?" + call, "signal=KILL", at: "\(number)")
                let lines = try await probe.run(operation.name, under: killer)

                let found = try await probe.run("read")[0]
                let allowed = ["old", operation.after].map { $0.map { " " + $0 } ?? "absent" }
                #expect(allowed.contains { found.hasSuffix($0) }, "call \(number): \(found)")
                if !lines.isEmpty { return }
            }
            Issue.record("The operation never ends.")
        }
    }

    @Test func `Concurrent changes by several processes are all stored and reported`() async throws {
        try await Desktop.with { (desktop) async throws in
            let probe = StoreProbe(desktop.root, level: "keyring", environment: desktop.environment)
            #expect(try await probe.run("login:0")[0].hasPrefix("written"))
            let heard = Box(0)
            let store = SecretServiceStore(
                server: "https://id.example",
                app: "probe",
                folder: desktop.root + "/data",
                busAddress: desktop.address
            )
            let watch = try #require(store.watch { heard.set(heard.get() + 1) })
            let lines = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await probe.run("increment:10") } }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            #expect(lines == Array(repeating: "incremented", count: 4))
            #expect(try await store.reading() == .present("40"))
            while heard.get() == 0 { await Task.yield() }
            watch.stop()
        }
    }
}
