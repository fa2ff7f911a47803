import Foundation
import LatchkeyCore
import Testing

@testable import LatchkeyFileStore

@Suite struct `A file store after a crash` {
    private let folders = StoreFolders()
    private let store: EncryptedFileStore
    private let generation: UInt64

    init() throws {
        store = folders.store()
        generation = try store.write([1, 2, 3], basedOn: 0)
        // What is there when a writer dies before the renaming.
        try write(Array(contents(folders.recordPath).prefix(40)), to: folders.temporaryPath)
    }

    @Test func `has the old record, and takes the next one`() throws {
        #expect(store.read().bytes == [1, 2, 3])

        #expect(throws: Never.self) { try store.write([4], basedOn: generation) }

        #expect(store.read().bytes == [4])
        #expect(!FileManager.default.fileExists(atPath: folders.temporaryPath))
    }

    @Test func `has nothing left after a removal`() throws {
        let leftover = try #require(FileHandle(forReadingAtPath: folders.temporaryPath))

        try store.remove()

        #expect(!FileManager.default.fileExists(atPath: folders.temporaryPath))
        #expect(try leftover.readToEnd() == Data(count: 40))
    }

    @Test func `has nothing left after a removal when no record and no lock were there`() throws {
        unlink(folders.recordPath)
        unlink(folders.lockPath)

        try store.remove()

        #expect(!FileManager.default.fileExists(atPath: folders.temporaryPath))
    }

    @Test func `does not write through a link that stands where the new record begins`() throws {
        let elsewhere = folders.root + "/elsewhere"
        try write([5], to: elsewhere)
        unlink(folders.temporaryPath)
        symlink(elsewhere, folders.temporaryPath)

        _ = try store.write([4], basedOn: generation)

        #expect(try contents(elsewhere) == [5])
        #expect(store.read().bytes == [4])
    }

    @Test func `makes its key when a crash left a part of one`() throws {
        try store.remove()
        unlink(folders.keyPath)
        try write([1, 2], to: folders.keyPath + ".tmp")

        _ = try store.write([4], basedOn: 0)

        #expect(store.read().bytes == [4])
        #expect(!FileManager.default.fileExists(atPath: folders.keyPath + ".tmp"))
    }
}
