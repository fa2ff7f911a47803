package import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An open folder in which only this user may write; names in it are looked up without following links.
package struct Folder: ~Copyable {
    let descriptor: Descriptor

    /// Opens a folder; nothing when there is none.
    package init?(existing path: String) throws(SessionStoreError) {
        guard let descriptor = Descriptor(owning: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            guard errno == ENOENT else { throw .system("open the folder", path) }
            return nil
        }
        guard let status = descriptor.status() else { throw .system("examine the folder", path) }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw SessionStoreError(
                .failed,
                "The folder \(path) belongs to somebody else, or others may write in it."
            )
        }
        self.descriptor = descriptor
    }

    /// Opens a folder, making it and those above it for this user alone when they are missing.
    package init(making path: String) throws(SessionStoreError) {
        if let folder = try Folder(existing: path) {
            self = folder
            return
        }
        try Self.make(path[...])
        guard let folder = try Folder(existing: path) else { throw .system("open the folder", path) }
        self = folder
    }

    /// Whether there is something of a name, whatever it is.
    package func holds(_ name: String) throws(SessionStoreError) -> Bool {
        var status = stat()
        if fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        guard errno == ENOENT else { throw .system("look for", name) }
        return false
    }

    /// Whether there is something of one of some names.
    package func holdsAny(_ names: [String]) throws(SessionStoreError) -> Bool {
        for name in names {
            if try holds(name) { return true }
        }
        return false
    }

    /// Makes an empty file that is meant by its being there; nothing happens when it is there.
    package func mark(_ name: String) throws(SessionStoreError) {
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags, 0o600)) else {
            throw .system("create", name)
        }
        guard file.synchronize(), descriptor.synchronize() else { throw .system("synchronize", name) }
    }

    /// Takes a mark away, if it is there.
    package func unmark(_ name: String) throws(SessionStoreError) {
        try unlink(name)
        guard descriptor.synchronize() else { throw .system("synchronize the folder of", name) }
    }

    /// Makes a mark look changed to those who watch it; nothing is lost when that fails.
    package func touch(_ name: String) {
        let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags)) else { return }
        // For those who poll. Closing a file that was open for writing is a notice for the others.
        _ = futimens(file.number, nil)
    }

    /// Reads a file that no other user may read; nothing when there is none.
    func contents(of name: String, limit: Int) throws(SessionStoreError) -> [UInt8]? {
        // Non-blocking, because opening a pipe would wait for its other end.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags)) else {
            guard errno == ENOENT else { throw .system("open", name) }
            return nil
        }
        guard let status = file.status() else { throw .system("examine", name) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SessionStoreError(.failed, "\(name) is no ordinary file.")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw SessionStoreError(.failed, "\(name) belongs to somebody else, or others may read it.")
        }
        guard status.st_size <= limit else {
            throw SessionStoreError(.failed, "\(name) is larger than \(limit) bytes.")
        }
        guard let bytes = file.read(limit: Int(status.st_size)) else { throw .system("read", name) }
        return bytes
    }

    /// Puts a file in place as a whole: after a crash, the old one or the new one is there.
    ///
    /// The caller holds a lock, so that a temporary file that is already there was left by a crash.
    func replace(_ name: String, with bytes: [UInt8]) throws(SessionStoreError) {
        let temporary = Self.temporaryName(of: name)
        try unlink(temporary)
        do throws(SessionStoreError) {
            try create(temporary, bytes)
            guard renameat(descriptor.number, temporary, descriptor.number, name) == 0 else {
                throw SessionStoreError.system("rename", temporary)
            }
        } catch {
            try? unlink(temporary)
            throw error
        }
        guard descriptor.synchronize() else { throw .system("synchronize the folder of", name) }
    }

    /// Takes a file away, with its temporary file, and overwrites them as far as the file system lets it happen.
    ///
    /// It takes another name first: after a crash, the file is there as it was, or it is not there.
    func erase(_ name: String) throws(SessionStoreError) {
        let temporary = Self.temporaryName(of: name)
        try overwriteAndUnlink(temporary)
        guard try !isFolder(name) else { throw SessionStoreError(.failed, "\(name) is a folder.") }
        guard renameat(descriptor.number, name, descriptor.number, temporary) == 0 || errno == ENOENT else {
            throw .system("rename", name)
        }
        try overwriteAndUnlink(temporary)
        guard descriptor.synchronize() else { throw .system("synchronize the folder of", name) }
    }

    /// The name under which a file is written before it takes its place.
    static func temporaryName(of name: String) -> String { name + ".tmp" }

    private func create(_ name: String, _ bytes: [UInt8]) throws(SessionStoreError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags, 0o600)) else {
            throw .system("create", name)
        }
        guard file.write(bytes) else { throw .system("write", name) }
    }

    private func isFolder(_ name: String) throws(SessionStoreError) -> Bool {
        var status = stat()
        guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw .system("examine", name) }
            return false
        }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    private func overwriteAndUnlink(_ name: String) throws(SessionStoreError) {
        overwrite(name)
        try unlink(name)
    }

    private func overwrite(_ name: String) {
        let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard
            let file = Descriptor(owning: openat(descriptor.number, name, flags)),
            let status = file.status(), status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1
        else { return }
        _ = file.write([UInt8](repeating: 0, count: Int(min(status.st_size, 1 << 24))))
    }

    private func unlink(_ name: String) throws(SessionStoreError) {
        guard unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT else {
            throw .system("remove", name)
        }
    }

    private static func make(_ path: Substring) throws(SessionStoreError) {
        let parent = parent(of: path)
        if mkdir(String(path), 0o700) != 0 {
            if errno == EEXIST { return }
            guard errno == ENOENT, parent != "/", parent != "." else {
                throw .system("make the folder", String(path))
            }
            try make(parent)
            guard mkdir(String(path), 0o700) == 0 || errno == EEXIST else {
                throw .system("make the folder", String(path))
            }
        }
        // What is safely in a folder is lost if the folder's own entry is.
        guard let above = Descriptor(owning: open(String(parent), O_RDONLY | O_CLOEXEC)) else { return }
        guard above.synchronize() else { throw .system("synchronize the folder", String(parent)) }
    }

    private static func parent(of path: Substring) -> Substring {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : path[..<slash]
    }
}
