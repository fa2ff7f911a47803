import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The location of a SQLite database.
package enum SQLiteLocation: Sendable {
    /// A file, with its companions `-wal` and `-shm` in the same folder.
    case file(String)

    /// A database in memory, deleted when it is closed; for tests.
    case memory
}

extension SQLiteLocation {
    /// The file name for SQLite.
    var path: String {
        switch self {
        case .file(let path): path
        case .memory: ":memory:"
        }
    }

    /// Creates the file if it does not exist, and makes it and its companions accessible to the owner only.
    ///
    /// The file is not opened here: closing any descriptor of it would drop the locks that SQLite holds on it
    /// in this process. SQLite creates the companions with the mode of the file.
    ///
    /// It has no effect on a database in memory. The permissions of the folder are not checked.
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

    /// Creates an empty private file; if another process was faster, its file remains.
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
