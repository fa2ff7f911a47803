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

        for other in [key.map { $0 ^ 1 }, Array(key.dropLast()), key + [0], []] {
            try write(other, to: folders.keyPath)
            #expect(store.read().refusal == .unreadable)
        }
        try write(key, to: folders.keyPath)
        #expect(store.read().bytes == [1, 2, 3])
    }

    @Test func `A key in a newer format is left unchanged`() throws {
        let key = Array("latchkey 2 and whatever a newer version needs".utf8)
        try write(key, to: folders.keyPath)

        #expect(store.read().refusal == .newer)
        #expect(store.refusalOfWrite(basedOn: generation) == .newer)
        #expect(try contents(folders.keyPath) == key)
        try store.remove()
        #expect(store.refusalOfWrite() == .newer)
    }

    @Test func `A key that begins like a newer format by chance is used`() throws {
        try store.remove()
        let key = Array("latchkey".utf8) + Array(repeating: 7, count: 24)
        try write(key, to: folders.keyPath)

        #expect(store.refusalOfWrite() == nil)
        #expect(store.read().bytes == [9])
        #expect(try contents(folders.keyPath) == key)
    }

    @Test func `Only a damaged record is removed as damaged`() throws {
        try store.removeUnreadable()
        #expect(store.read().bytes == [1, 2, 3])

        var file = try contents(folders.recordPath)
        file[8] = 2
        try write(file, to: folders.recordPath)
        #expect(throws: SessionStoreError.self) { try store.removeUnreadable() }
        #expect(store.read().refusal == .newer)

        try write([1], to: folders.recordPath)
        try store.removeUnreadable()
        #expect(store.read().isAbsent)
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
        #expect(store.read().refusal == .unreadable)
        chmod(folders.keyPath, 0o600)
        #expect(store.read().bytes == [1, 2, 3])

        chmod(folders.recordPath, mode)
        try expectRefusal(.unreadable)
    }

    @Test func `Folders that other users can write to are not read until a write restores their mode`() throws
    {
        var generation = generation
        for folder in [folders.location.keyFolder, folders.location.dataFolder] {
            chmod(folder, 0o770)
            #expect(store.read().refusal == .failed)
            #expect(try mode(of: folder) == 0o770)

            generation = try store.write([1, 2, 3], basedOn: generation)

            #expect(try mode(of: folder) == 0o750)
            #expect(store.read().bytes == [1, 2, 3])
        }
    }

    @Test func `A record is removed even if other users can write to its folder`() throws {
        chmod(folders.location.dataFolder, 0o777)

        #expect(store.refusalOfRemoval() == nil)

        #expect(try mode(of: folders.location.dataFolder) == 0o755)
        #expect(store.read().isAbsent)
    }

    @Test func `Symbolic links are not followed`() throws {
        let elsewhere = folders.root + "/elsewhere"
        for path in [folders.keyPath, folders.recordPath] {
            rename(path, elsewhere)
            symlink(elsewhere, path)
            #expect(store.read().refusal == .unreadable)
            unlink(path)
            rename(elsewhere, path)
            #expect(store.read().bytes == [1, 2, 3])
        }
        rename(folders.recordPath, elsewhere)
        symlink(elsewhere, folders.recordPath)
        let kept = try contents(elsewhere)
        try expectRefusal(.unreadable)
        #expect(try contents(elsewhere) == kept)
    }

    @Test func `A named pipe in place of a file does not block the store`() throws {
        unlink(folders.recordPath)
        mkfifo(folders.recordPath, 0o600)

        try expectRefusal(.unreadable)
    }

    @Test func `Folders in place of files are set aside with their contents`() throws {
        for path in [folders.recordPath, folders.temporaryPath, folders.lockPath, folders.tombstonePath] {
            try? FileManager.default.removeItem(atPath: path)
            mkdir(path, 0o700)
            try write([5], to: path + "/file")
        }

        #expect(store.read().isAbsent)
        try store.remove()
        #expect(store.refusalOfWrite() == nil)

        #expect(store.read().bytes == [9])
        for path in [folders.recordPath, folders.temporaryPath, folders.lockPath, folders.tombstonePath] {
            #expect(try contents(path + ".damaged-1/file") == [5])
        }
    }

    @Test func `A tombstone counts whatever it has become`() throws {
        for make in [{ mkdir($0, 0o700) }, { symlink("missing", $0) }, { mkfifo($0, 0o600) }]
            as [(String) -> Int32]
        {
            #expect(make(folders.tombstonePath) == 0)
            #expect(store.readImmediately()?.isAbsent == true)
            #expect(store.read().isAbsent)
            #expect(store.refusalOfWrite() == nil)
            #expect(store.read().bytes == [9])
        }
    }

    @Test func `A record behind a symbolic link without a target is unavailable and not absent`() throws {
        rename(folders.root + "/share", folders.root + "/kept")
        symlink(folders.root + "/missing", folders.root + "/share")

        #expect(store.read().refusal == .failed)
        #expect(store.refusalOfRemoval() == .failed)
        unlink(folders.root + "/share")
        rename(folders.root + "/kept", folders.root + "/share")
        #expect(store.read().bytes == [1, 2, 3])
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

    private func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }
}
