import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The location of a SQLite database.
package enum SQLiteLocation: Sendable {
    /// A database file. SQLite creates its `-wal` and `-shm` files in the same folder.
    case file(String)

    /// An existing database file that is only read. Reading doesn't create or change any files.
    case unchanged(String)

    /// An in-memory database for tests, which is deleted when it is closed.
    case memory
}

extension SQLiteLocation {
    /// The file name to pass to SQLite, and whether the connection keeps the index of the write-ahead log to
    /// itself.
    var opening: (path: String, isExclusive: Bool) {
        switch self {
        case .file(let path): (path, false)
        case .unchanged(let path): Self.readOnlyURI(of: path)
        case .memory: (":memory:", false)
        }
    }

    /// The name of the file for messages.
    var name: String {
        switch self {
        case .file(let path), .unchanged(let path): path
        case .memory: ":memory:"
        }
    }

    /// Whether SQLite may create and change the file.
    var isWritable: Bool {
        if case .unchanged = self { false } else { true }
    }

    /// Returns the URI of a file that SQLite opens without creating its `-wal` and `-shm` files.
    ///
    /// If both files exist, a server is probably using the database, so they are read as well. If there is only
    /// the `-wal` file, the database is a copy: SQLite then keeps the index in memory and takes no locks, which
    /// would require write access. If there is no `-wal` file, SQLite is told that the database doesn't change.
    private static func readOnlyURI(of path: String) -> (String, isExclusive: Bool) {
        let options =
            switch (access(path + "-wal", F_OK) == 0, access(path + "-shm", F_OK) == 0) {
            case (true, true): "?mode=ro&readonly_shm=1"
            case (true, false): "?mode=ro&vfs=unix-none"
            case (false, _): "?immutable=1"
            }
        let escaped = path.map { character in
            switch character {
            case "%": "%25"
            case "?": "%3F"
            case "#": "%23"
            default: String(character)
            }
        }
        return ("file:" + escaped.joined() + options, options.contains("vfs"))
    }

    /// Creates the file if it doesn't exist, and restricts access to it and its `-wal` and `-shm` files to
    /// the owner.
    ///
    /// This method doesn't open existing files. Closing any descriptor of a file would release the locks that
    /// SQLite holds on it in this process. SQLite creates the `-wal` and `-shm` files with the same mode as
    /// the database file.
    ///
    /// In-memory databases aren't affected. The permissions of the folder aren't checked.
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
                    message: "Cannot restrict the file's permissions (errno \(errno)): \(name)"
                )
            }
        }
    }

    /// Creates an empty file that only its owner can access, unless another process has created it in the
    /// meantime.
    ///
    /// The file belongs to the owner of the folder. SQLite gives the `-wal` and `-shm` files the same owner.
    private func create(_ path: String) throws(DatabaseError) {
        let fresh = path + ".new-" + Identifier().description
        let descriptor = open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DatabaseError(
                .unavailable,
                message: "Cannot create the database (errno \(errno)): \(path)"
            )
        }
        let isOurs = FileOwner.inherit(descriptor, at: path)
        let isComplete = isOurs && (link(fresh, path) == 0 || errno == EEXIST)
        let reason = errno
        close(descriptor)
        unlink(fresh)
        guard isComplete else {
            throw DatabaseError(
                .unavailable,
                message: "Cannot create the database (errno \(reason)): \(path)"
            )
        }
    }
}
