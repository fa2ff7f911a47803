import Foundation
import LatchkeyCore
import Testing

@testable import LatchkeyFileStore

@Suite struct `Damaged file stores` {
    private let folders = StoreFolders()
    private let store: EncryptedFileStore
    private let generation: UInt64

    init() throws {
        store = folders.store()
        generation = try store.write([1, 2, 3], basedOn: 0)
    }

    /// Checks that the store rejects reads and writes, and that it works again after a removal.
    private func expectRefusal(
        _ code: SessionStoreError.Code,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(store.read().refusal == code, sourceLocation: sourceLocation)
        #expect(store.refusalOfWrite(basedOn: generation) == code, sourceLocation: sourceLocation)
        #expect(store.refusalOfWrite() == code, sourceLocation: sourceLocation)
        try store.remove()
        #expect(store.read().isAbsent, sourceLocation: sourceLocation)
    }

    @Test func `A record file with a flipped bit is rejected`() throws {
        let file = try contents(folders.recordPath)

        for bit in 0..<file.count * 8 {
            var changed = file
            changed[bit / 8] ^= 1 << (bit % 8)
            try write(changed, to: folders.recordPath)
            let expected: SessionStoreError.Code = changed[8] > 1 ? .newer : .unreadable
            #expect(store.read().refusal == expected, "bit \(bit)")
        }
    }

    @Test func `A truncated or extended record file is rejected`() throws {
        let file = try contents(folders.recordPath)

        for count in 0..<file.count {
            try write(Array(file.prefix(count)), to: folders.recordPath)
            #expect(store.read().refusal == .unreadable, "\(count) bytes")
        }
        try write(file + [0], to: folders.recordPath)
        try expectRefusal(.unreadable)
        #expect(store.refusalOfWrite() == nil)
    }

    @Test func `A record in a newer format is left unchanged`() throws {
        var file = try contents(folders.recordPath)
        file[8] = 2
        try write(file, to: folders.recordPath)

        #expect(store.refusalOfWrite(basedOn: generation) == .newer)
        #expect(try contents(folders.recordPath) == file)
        try expectRefusal(.newer)
    }

    @Test func `A record whose key is missing is unavailable`() throws {
        unlink(folders.keyPath)

        try expectRefusal(.unreadable)
        #expect(!FileManager.default.fileExists(atPath: folders.keyPath))
        #expect(store.refusalOfWrite() == nil)
        #expect(store.read().bytes == [9])
    }

    @Test func `A record cannot be decrypted with another key or a truncated key`() throws {
        let key = try contents(folders.keyPath)

        for other in [key.map { $0 ^ 1 }, Array(key.dropLast()), []] {
            try write(other, to: folders.keyPath)
            #expect(store.read().refusal == .unreadable)
        }
        try write(key + [0], to: folders.keyPath)
        #expect(store.read().refusal == .failed)
        try write(key, to: folders.keyPath)
        #expect(store.read().bytes == [1, 2, 3])
    }

    @Test func `Another app's record file is rejected`() throws {
        let other = folders.store(app: "other")
        _ = try other.write([4], basedOn: 0)
        try write(contents(folders.path(\.fileName, app: "other")), to: folders.recordPath)

        try expectRefusal(.unreadable)
    }

    @Test(arguments: [mode_t(0o604), 0o640, 0o620, 0o601])
    func `Files that other users can read or write are rejected`(mode: mode_t) throws {
        chmod(folders.keyPath, mode)
        #expect(store.read().refusal == .failed)
        chmod(folders.keyPath, 0o600)
        #expect(store.read().bytes == [1, 2, 3])

        chmod(folders.recordPath, mode)
        try expectRefusal(.failed)
    }

    @Test func `Folders that other users can write to are rejected`() throws {
        for folder in [folders.location.keyFolder, folders.location.dataFolder] {
            chmod(folder, 0o770)
            #expect(store.read().refusal == .failed)
            #expect(store.refusalOfWrite(basedOn: generation) == .failed)
            chmod(folder, 0o700)
            #expect(store.read().bytes == [1, 2, 3])
        }
    }

    @Test func `Symbolic links are not followed`() throws {
        let elsewhere = folders.root + "/elsewhere"
        for path in [folders.keyPath, folders.recordPath] {
            rename(path, elsewhere)
            symlink(elsewhere, path)
            #expect(store.read().refusal == .failed)
            unlink(path)
            rename(elsewhere, path)
            #expect(store.read().bytes == [1, 2, 3])
        }
        rename(folders.recordPath, elsewhere)
        symlink(elsewhere, folders.recordPath)
        let kept = try contents(elsewhere)
        try expectRefusal(.failed)
        #expect(try contents(elsewhere) == kept)
    }

    @Test func `A named pipe in place of a file does not block the store`() throws {
        unlink(folders.recordPath)
        mkfifo(folders.recordPath, 0o600)

        try expectRefusal(.failed)
    }

    @Test func `Removing a record fails if it may still be on disk`() throws {
        unlink(folders.recordPath)
        mkdir(folders.recordPath, 0o700)

        #expect(store.read().refusal == .failed)
        #expect(store.refusalOfWrite() == .failed)
        #expect(store.refusalOfRemoval() == .failed)
    }

    @Test func `The record is unavailable if the store's folder has been replaced with a file`() throws {
        rename(folders.location.dataFolder, folders.root + "/kept")
        try write([], to: folders.location.dataFolder)

        #expect(store.read().refusal == .failed)
        #expect(store.refusalOfWrite() == .failed)
        #expect(store.refusalOfRemoval() == .failed)
    }

    @Test func `A record is not written if the key cannot be written`() throws {
        try store.remove()
        try FileManager.default.removeItem(atPath: folders.location.keyFolder)
        try write([], to: folders.location.keyFolder)

        #expect(store.refusalOfWrite() == .failed)
        #expect(store.read().isAbsent)
        #expect(!FileManager.default.fileExists(atPath: folders.recordPath))
        #expect(!FileManager.default.fileExists(atPath: folders.temporaryPath))
    }
}
