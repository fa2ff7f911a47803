import Foundation
import LatchkeyCore
import Testing

@testable import LatchkeyFileStore

@Suite struct `File store recovery after a crash` {
    private let folders = StoreFolders()
    private let store: EncryptedFileStore
    private let generation: UInt64

    init() throws {
        store = folders.store()
        generation = try store.write([1, 2, 3], basedOn: 0)
        // These files are left behind if a writer is killed before it renames the new file.
        try write(Array(contents(folders.recordPath).prefix(40)), to: folders.temporaryPath)
    }

    @Test func `The old record can still be read, and the next write succeeds`() throws {
        #expect(store.read().bytes == [1, 2, 3])

        #expect(throws: Never.self) { try store.write([4], basedOn: generation) }

        #expect(store.read().bytes == [4])
        #expect(!FileManager.default.fileExists(atPath: folders.temporaryPath))
    }

    @Test func `A removal leaves no temporary file behind`() throws {
        let leftover = try #require(FileHandle(forReadingAtPath: folders.temporaryPath))

        try store.remove()

        #expect(!FileManager.default.fileExists(atPath: folders.temporaryPath))
        #expect(try leftover.readToEnd() == Data(count: 40))
    }

    @Test func `A removal deletes the temporary file even if the record and the lock file are missing`()
        throws
    {
        unlink(folders.recordPath)
        unlink(folders.lockPath)

        try store.remove()

        #expect(!FileManager.default.fileExists(atPath: folders.temporaryPath))
    }

    @Test func `A symbolic link in place of the temporary file is not followed`() throws {
        let elsewhere = folders.root + "/elsewhere"
        try write([5], to: elsewhere)
        unlink(folders.temporaryPath)
        symlink(elsewhere, folders.temporaryPath)

        _ = try store.write([4], basedOn: generation)

        #expect(try contents(elsewhere) == [5])
        #expect(store.read().bytes == [4])
    }

    @Test func `A key that was truncated by a crash is replaced`() throws {
        try store.remove()
        unlink(folders.keyPath)
        try write([1, 2], to: folders.keyPath + ".tmp")

        _ = try store.write([4], basedOn: 0)

        #expect(store.read().bytes == [4])
        #expect(!FileManager.default.fileExists(atPath: folders.keyPath + ".tmp"))
    }
}
