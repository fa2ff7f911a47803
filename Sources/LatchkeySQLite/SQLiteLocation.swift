import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The location of a SQLite database.
package enum SQLiteLocation: Sendable {
    /// A database file, whose `-wal` and `-shm` files are in the same folder.
    case file(String)

    /// An in-memory database for tests, which is deleted when it is closed.
    case memory
}

extension SQLiteLocation {
    /// The file name to pass to SQLite.
    var path: String {
        switch self {
        case .file(let path): path
        case .memory: ":memory:"
        }
    }

    /// Creates the file if it does not exist, and makes it and its `-wal` and `-shm` files accessible to the
    /// owner only.
    ///
    /// The method does not open an existing file, because closing any of its descriptors would release the
    /// locks that SQLite holds on the file in this process. SQLite creates the other files with the mode of
    /// the database file.
    ///
    /// The call has no effect on an in-memory database, and does not check the permissions of the folder.
    ///
    /// - Throws: ``DatabaseError`` with the code `unavailable` if the file cannot be created or its mode
    ///   cannot be changed.
    func makePrivate() throws(DatabaseError) {
        guard case .file(let path) = self else { return }
        if access(path, F_OK) != 0 { try create(path) }
        for name in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard stat(name, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            guard chmod(name, 0o600) == 0 else {
                throw DatabaseError(
                    .unavailable,
                    message: "The file's permissions cannot be restricted (errno \(errno)): \(name)"
                )
            }
        }
    }

    /// Creates an empty private file, unless another process has created it in the meantime.
    private func create(_ path: String) throws(DatabaseError) {
        let fresh = path + ".new-" + Identifier().description
        let descriptor = open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DatabaseError(
                .unavailable,
                message: "The database cannot be created (errno \(errno)): \(path)"
            )
        }
        close(descriptor)
        let linked = link(fresh, path)
        let reason = errno
        unlink(fresh)
        guard linked == 0 || reason == EEXIST else {
            throw DatabaseError(
                .unavailable,
                message: "The database cannot be created (errno \(reason)): \(path)"
            )
        }
    }
}
