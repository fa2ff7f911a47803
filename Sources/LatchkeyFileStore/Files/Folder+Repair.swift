import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Removes what prevents a login or a sign-out from using the folder's files.
///
/// Damage that a user would have to repair by hand would otherwise block every later login.
extension Folder {
    /// The highest number in the names of folders that were set aside.
    private static let asideLimit = 100

    /// Returns whether opening a file failed because of the entry itself and not because of a lack of
    /// resources or a faulty disk.
    ///
    /// The entry is a folder, a symbolic link or a socket, or its permissions exclude the current user.
    static func isObstacle(_ reason: Int32) -> Bool {
        [EISDIR, ELOOP, ENXIO, EACCES].contains(reason)
    }

    /// Lets the current user read and write a regular file that belongs to this user.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - isSecret: Whether a file that other users could access is left unchanged.
    /// - Returns: `false` if the file isn't of that kind, or its permissions aren't to blame.
    func restoreMode(of name: String, isSecret: Bool = true) -> Bool {
        var found = stat()
        guard fstatat(descriptor.number, name, &found, AT_SYMLINK_NOFOLLOW) == 0,
            found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid(),
            found.st_mode & 0o600 != 0o600, !isSecret || found.st_mode & 0o077 == 0
        else { return false }
        return fchmodat(descriptor.number, name, 0o600, 0) == 0
    }

    /// Deletes a file of any type, or sets a folder aside.
    ///
    /// A missing file isn't an error.
    func unlink(_ name: String) throws(SessionStoreError) {
        if unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT { return }
        let failure = SessionStoreError.system(operation: "remove", file: name)
        guard try isFolder(name) else { throw failure }
        try setAside(name)
    }

    /// Deletes an empty folder, or renames one that has contents.
    ///
    /// We don't delete the contents because we didn't create them.
    func setAside(_ name: String) throws(SessionStoreError) {
        if unlinkat(descriptor.number, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return }
        for number in 1...Self.asideLimit {
            let aside = "\(name).damaged-\(number)"
            if renameat(descriptor.number, name, descriptor.number, aside) == 0 || errno == ENOENT { return }
            guard [ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) else { break }
        }
        throw .system(operation: "set aside the folder", file: name)
    }

    func isFolder(_ name: String) throws(SessionStoreError) -> Bool {
        var status = stat()
        guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw .system(operation: "examine", file: name) }
            return false
        }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a folder accessible to its owner, and no longer writable by others, if the current user owns it.
    ///
    /// Links aren't followed, and folders that are meant to be shared are left alone, because the path may lead
    /// elsewhere. Failures are ignored because opening the folder reports them.
    static func restorePermissions(of path: String) {
        // Glibc's module for Swift lacks O_PATH.
        let flags = 0o10_000_000 | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        guard let folder = Descriptor(owning: open(path, flags)) else { return }
        guard
            let status = folder.status(), status.st_uid == geteuid(), status.st_mode & 0o7000 == 0,
            status.st_mode & 0o722 != 0o700
        else { return }
        // The mode of a folder that can't be opened for reading can only be changed in this way.
        chmod("/proc/self/fd/\(folder.number)", status.st_mode & 0o755 | 0o700)
    }

    /// Returns the symbolic link because of which a path doesn't exist, or `nil` if there is none.
    static func brokenLink(in path: String) -> String? {
        var (path, status) = (path[...], stat())
        while lstat(String(path), &status) != 0 {
            path = parent(of: path)
            if path == "/" || path == "." { return nil }
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        return isLink && stat(String(path), &status) != 0 ? String(path) : nil
    }
}
