import Foundation
import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyFileStore

@Suite struct `Encrypted file store` {
    private let folders = StoreFolders()

    @Test func `The store passes the conformance checks`() async {
        let folders = folders

        let sealing = { @Sendable (isSealed: Bool) in
            let (folder, aside) = (folders.location.keyFolder, folders.root + "/aside")
            if isSealed {
                rename(folder, aside)
                try? write([], to: folder)
            } else {
                unlink(folder)
                rename(aside, folder)
            }
        }
        let violations = await SessionStoreConformance(sealing: sealing) { folders.store() }.violations()
        #expect(violations == [])
    }

    @Test func `The store writes encrypted files that only this user can access`() throws {
        let record = Array("a token that nobody may see".utf8)
        _ = try folders.store().write(record, basedOn: 0)

        for (path, entry) in try folders.snapshot() {
            let parts = entry.split(separator: " ", omittingEmptySubsequences: false)
            #expect(parts[0] == "40700" || parts[0] == "100600", "\(path)")
            let bytes = [UInt8](try #require(Data(base64Encoded: String(parts[1]))))
            #expect(bytes.firstRange(of: "token".utf8) == nil, "\(path)")
        }
        #expect(folders.store().read().bytes == record)
    }

    @Test func `Immediate and regular reads return the same record and create no files`() throws {
        let store = folders.store()
        #expect(store.readImmediately()?.isAbsent == true)
        #expect(try folders.snapshot() == [:])

        _ = try store.write([1], basedOn: 0)
        #expect(store.readImmediately()?.bytes == [1])

        try store.remove()
        #expect(store.readImmediately()?.isAbsent == true)
    }

    @Test func `An immediate read returns no result for a record that cannot be read yet`() throws {
        let store = folders.store()
        _ = try store.write([1], basedOn: 0)
        try write([0], to: folders.recordPath)

        #expect(store.readImmediately() == nil)
    }

    @Test func `Reading or removing before the first login creates no files`() throws {
        #expect(folders.store().read().isAbsent)
        #expect(folders.store().refusalOfRemoval() == nil)
        #expect(try folders.snapshot() == [:])
        #expect(folders.store().refusalOfWrite(basedOn: 5) == .conflict)
        #expect(!FileManager.default.fileExists(atPath: folders.keyPath))
    }

    @Test func `Removing a missing record creates no files, even if another app has logged in`() throws {
        _ = try folders.store(app: "other").write([1], basedOn: 0)
        let before = try folders.snapshot()

        #expect(folders.store().refusalOfRemoval() == nil)
        #expect(folders.store().read().isAbsent)

        #expect(try folders.snapshot() == before)
    }

    @Test func `Only the empty lock file and the key are left after a removal`() throws {
        let store = folders.store()
        let generation = try store.write([1], basedOn: 0)
        let key = try contents(folders.keyPath)
        _ = try store.write([2], basedOn: generation)

        try store.remove()

        let files = try folders.snapshot().filter { $0.value.hasPrefix("100") }
        #expect(files.count == 2)
        #expect(try contents(folders.lockPath) == [])
        #expect(try contents(folders.keyPath) == key)
    }

    @Test func `A file is overwritten before it is deleted`() throws {
        let store = folders.store()
        _ = try store.write([UInt8](repeating: 7, count: 10_000), basedOn: 0)
        let file = try #require(FileHandle(forReadingAtPath: folders.recordPath))

        try store.remove()

        let rest = try #require(try file.readToEnd())
        #expect(rest.count > 10_000)
        #expect(rest.allSatisfy { $0 == 0 })
    }

    @Test func `Servers and apps have separate records but share one key`() throws {
        let names = [("a", "b"), ("ab", ""), ("", "ab"), ("a", "c")]
        let stores = names.map {
            EncryptedFileStore(server: $0.0, app: $0.1, location: folders.location)
        }

        for (index, store) in stores.enumerated() { _ = try store.write([UInt8(index)], basedOn: 0) }
        try stores[3].remove()

        #expect(stores[..<3].map { $0.read().bytes } == [[0], [1], [2]])
        #expect(stores[3].read().isAbsent)
    }

    @Test func `Apps that start concurrently create only one key`() async throws {
        let folders = folders
        for _ in 0..<10 {
            try? FileManager.default.removeItem(atPath: folders.root)
            mkdir(folders.root, 0o700)
            let written = await withCheckedContinuation { continuation in
                DispatchQueue(label: "writers").async {
                    let written = Locked(0)
                    DispatchQueue.concurrentPerform(iterations: 8) { app in
                        guard (try? folders.store(app: "\(app)").write([1], basedOn: 0)) != nil else {
                            return
                        }
                        written.withLock { $0 += 1 }
                    }
                    continuation.resume(returning: written.withLock { $0 })
                }
            }

            #expect(written == 8)
            for app in 0..<8 { #expect(folders.store(app: "\(app)").read().bytes == [1]) }
        }
    }

    @Test func `A record at the size limit is stored, and a larger one is rejected`() throws {
        let store = folders.store()

        let generation = try store.write([UInt8](repeating: 1, count: 1 << 20), basedOn: 0)

        #expect(store.read().bytes?.count == 1 << 20)
        #expect(throws: SessionStoreError.self) {
            try store.write([UInt8](repeating: 1, count: 1 << 20 + 1), basedOn: generation)
        }
    }

    @Test func `A record in the first format can still be read`() throws {
        let golden = try StoredFormat(version: 1)
        mkdir(folders.root + "/share", 0o700)
        mkdir(folders.root + "/state", 0o700)
        mkdir(folders.location.dataFolder, 0o700)
        mkdir(folders.location.keyFolder, 0o700)
        try write(golden.key, to: folders.location.keyFolder + "/session.key")
        try write(golden.file, to: folders.location.dataFolder + "/" + golden.fileName)
        let store = EncryptedFileStore(
            server: golden.server,
            app: golden.app,
            location: folders.location
        )

        #expect(store.read().bytes == Array(golden.record.utf8))
        #expect(store.read().generation == golden.generation)
        #expect(try store.write([1], basedOn: golden.generation) == golden.generation + 1)
    }
}
