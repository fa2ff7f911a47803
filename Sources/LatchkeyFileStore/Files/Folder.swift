package import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An open folder that only the current user can write to.
///
/// Files are opened without following symbolic links in the folder.
package struct Folder: ~Copyable {
    let descriptor: Descriptor

    /// Opens an existing folder, or returns `nil` if there is none.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - repairing: Whether to restore the permissions of a folder that belongs to the current user, so that
    ///     only this user can write to it. Reading a record never does so.
    /// - Throws: `SessionStoreError` if the folder belongs to neither the current user nor root, if other
    ///   users can write to it, if it cannot be opened, or if it is behind a symbolic link whose target is
    ///   missing.
    package init?(existing path: String, repairing: Bool = false) throws(SessionStoreError) {
        if repairing { Self.restorePermissions(of: path) }
        guard let descriptor = Descriptor(owning: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            guard errno == ENOENT else { throw .system(operation: "open the folder", file: path) }
            // The target may be on a disk that isn't mounted, so we don't know that there is no record.
            if let link = Self.brokenLink(in: path) {
                throw SessionStoreError(
                    .failed,
                    message: "The target of the symbolic link \(link) is missing."
                )
            }
            return nil
        }
        guard let status = descriptor.status() else {
            throw .system(operation: "read the attributes of the folder", file: path)
        }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw SessionStoreError(
                .failed,
                message: "The folder \(path) belongs to another user or is writable by others."
            )
        }
        self.descriptor = descriptor
    }

    /// Opens a folder.
    ///
    /// The folder and any missing parents are created with mode 0700. The permissions of an existing folder
    /// are restored as in ``init(existing:repairing:)``.
    ///
    /// - Throws: `SessionStoreError` under the same conditions as ``init(existing:repairing:)``, and if a
    ///   folder cannot be created.
    package init(creating path: String) throws(SessionStoreError) {
        if let folder = try Folder(existing: path, repairing: true) {
            self = folder
            return
        }
        try Self.createFolder(path[...])
        guard let folder = try Folder(existing: path) else {
            throw .system(operation: "open the folder", file: path)
        }
        self = folder
    }

    /// Returns whether the folder contains an entry of any type with this name.
    package func contains(_ name: String) throws(SessionStoreError) -> Bool {
        var status = stat()
        if fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        guard errno == ENOENT else { throw .system(operation: "find", file: name) }
        return false
    }

    /// Returns whether the folder contains an entry of any type with one of these names.
    package func containsAny(of names: [String]) throws(SessionStoreError) -> Bool {
        for name in names {
            if try contains(name) { return true }
        }
        return false
    }

    /// Creates an empty flag file and synchronizes it to disk.
    ///
    /// Calling this method has no effect if an entry of any type exists.
    package func mark(_ name: String) throws(SessionStoreError) {
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags, 0o600)) else {
            let failure = SessionStoreError.system(operation: "create", file: name)
            if try contains(name), descriptor.synchronize() { return }
            throw failure
        }
        guard file.synchronize(), descriptor.synchronize() else {
            throw .system(operation: "synchronize", file: name)
        }
    }

    /// Removes a flag file if it exists, and synchronizes the folder to disk.
    package func unmark(_ name: String) throws(SessionStoreError) {
        try unlink(name)
        guard descriptor.synchronize() else {
            throw .system(operation: "synchronize the folder of", file: name)
        }
    }

    /// Updates a flag file's modification time to notify watchers.
    ///
    /// Failures are ignored.
    package func touch(_ name: String) {
        let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags)) else { return }
        // Watchers that poll detect the new modification time. Watchers that use inotify are notified when a
        // file that was open for writing is closed.
        _ = futimens(file.number, nil)
    }

    /// Reads a regular file that belongs to the current user and that no other user can access.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - limit: The maximum size in bytes.
    /// - Returns: The contents of the file, or `nil` if it does not exist.
    /// - Throws: `SessionStoreError` with the code `unreadable` if the file is too large, is not a regular
    ///   file, or is not accessible to the current user and only this user. The code is `failed` if the file
    ///   cannot be read for another reason, which may be temporary.
    func contents(of name: String, limit: Int) throws(SessionStoreError) -> [UInt8]? {
        // We need `O_NONBLOCK` because opening a named pipe would otherwise wait for its other end.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags)) else {
            guard errno != ENOENT else { return nil }
            throw .system(Self.isObstacle(errno) ? .unreadable : .failed, operation: "open", file: name)
        }
        guard let status = file.status() else { throw .system(operation: "examine", file: name) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SessionStoreError(.unreadable, message: "\(name) is not a regular file.")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw SessionStoreError(
                .unreadable,
                message: "\(name) belongs to another user or is readable by others."
            )
        }
        guard status.st_size <= limit else {
            throw SessionStoreError(.unreadable, message: "\(name) is larger than \(limit) bytes.")
        }
        guard let bytes = file.read(limit: Int(status.st_size)) else {
            throw .system(operation: "read", file: name)
        }
        return bytes
    }

    /// Replaces a file atomically.
    ///
    /// After a crash, the file contains either the old bytes or the new bytes.
    ///
    /// The caller must hold a lock because an existing temporary file is assumed to be left over from a crash
    /// and gets deleted. A folder with the file's name is set aside.
    func replace(_ name: String, with bytes: [UInt8]) throws(SessionStoreError) {
        let temporary = Self.temporaryName(of: name)
        try unlink(temporary)
        do throws(SessionStoreError) {
            try create(temporary, contents: bytes)
            if try isFolder(name) { try setAside(name) }
            guard renameat(descriptor.number, temporary, descriptor.number, name) == 0 else {
                throw SessionStoreError.system(operation: "rename", file: temporary)
            }
        } catch {
            try? unlink(temporary)
            throw error
        }
        guard descriptor.synchronize() else {
            throw .system(operation: "synchronize the folder of", file: name)
        }
    }

    /// Deletes a file and its temporary file.
    ///
    /// Both files are overwritten before they are deleted, to the extent that the file system supports this.
    ///
    /// The file is renamed before it is overwritten, so a crash leaves either the complete file or no file
    /// under its name. A folder with the name of one of the files is set aside.
    func erase(_ name: String) throws(SessionStoreError) {
        let temporary = Self.temporaryName(of: name)
        try overwriteAndUnlink(temporary)
        if try isFolder(name) { try setAside(name) }
        guard renameat(descriptor.number, name, descriptor.number, temporary) == 0 || errno == ENOENT else {
            throw .system(operation: "rename", file: name)
        }
        try overwriteAndUnlink(temporary)
        guard descriptor.synchronize() else {
            throw .system(operation: "synchronize the folder of", file: name)
        }
    }

    /// The name of the temporary file that ``replace(_:with:)`` writes and renames.
    static func temporaryName(of name: String) -> String { name + ".tmp" }

    private func create(_ name: String, contents bytes: [UInt8]) throws(SessionStoreError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        guard let file = Descriptor(owning: openat(descriptor.number, name, flags, 0o600)) else {
            throw .system(operation: "create", file: name)
        }
        guard file.write(bytes) else { throw .system(operation: "write", file: name) }
    }

    private func overwriteAndUnlink(_ name: String) throws(SessionStoreError) {
        overwrite(name)
        try unlink(name)
    }

    /// Overwrites a regular file with zeros, up to 16 MiB.
    ///
    /// Files with more than one hard link are left unchanged.
    private func overwrite(_ name: String) {
        let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard
            let file = Descriptor(owning: openat(descriptor.number, name, flags)),
            let status = file.status(), status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1
        else { return }
        _ = file.write([UInt8](repeating: 0, count: Int(min(status.st_size, 1 << 24))))
    }

    private static func createFolder(_ path: Substring) throws(SessionStoreError) {
        let parent = parent(of: path)
        if mkdir(String(path), 0o700) != 0 {
            if errno == EEXIST { return }
            guard errno == ENOENT, parent != "/", parent != "." else {
                throw .system(operation: "create the folder", file: String(path))
            }
            try createFolder(parent)
            guard mkdir(String(path), 0o700) == 0 || errno == EEXIST else {
                throw .system(operation: "create the folder", file: String(path))
            }
        }
        // A synchronized file can still be lost if its folder entry has not been synchronized.
        guard let above = Descriptor(owning: open(String(parent), O_RDONLY | O_CLOEXEC)) else { return }
        guard above.synchronize() else {
            throw .system(operation: "synchronize the folder", file: String(parent))
        }
    }

    static func parent(of path: Substring) -> Substring {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : path[..<slash]
    }
}
