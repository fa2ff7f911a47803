import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where a SQLite database lives.
package enum SQLiteLocation: Sendable {
    /// A file, and beside it its `-wal` and `-shm`.
    case file(String)

    /// Memory, gone when the database is closed; for tests.
    case memory
}

extension SQLiteLocation {
    var path: String {
        switch self {
        case .file(let path): path
        case .memory: ":memory:"
        }
    }

    /// Sees to it that the file exists and that its owner alone can read it and its companions.
    ///
    /// The file is never opened here: closing it would drop the locks that SQLite holds on it in
    /// this process. SQLite gives the companions the mode of the file.
    func makePrivate() throws(DatabaseError) {
        guard case .file(let path) = self else { return }
        if access(path, F_OK) != 0 { try create(path) }
        for name in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard stat(name, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            guard chmod(name, 0o600) == 0 else {
                throw DatabaseError(.unavailable, "The file cannot be made private (errno \(errno)): \(name)")
            }
        }
    }

    /// Creates an empty private file, or leaves the one that came first.
    private func create(_ path: String) throws(DatabaseError) {
        let fresh = path + ".new-" + Identifier().description
        let descriptor = open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DatabaseError(.unavailable, "The database cannot be created (errno \(errno)): \(path)")
        }
        close(descriptor)
        let linked = link(fresh, path)
        let reason = errno
        unlink(fresh)
        guard linked == 0 || reason == EEXIST else {
            throw DatabaseError(.unavailable, "The database cannot be created (errno \(reason)): \(path)")
        }
    }
}
