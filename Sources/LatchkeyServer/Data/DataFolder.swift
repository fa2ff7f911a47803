import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The folder that contains a server's persistent data.
///
/// Only the owner has access to the folder.
struct DataFolder: Sendable {
    /// The path of the folder.
    let path: String

    /// Creates the folder and its parent folders if they don't exist.
    ///
    /// - Parameter path: The path of the folder. It is empty if there is no default folder.
    /// - Throws: ``DataFolderError`` if the folder cannot be created or if other users have access to it.
    init(_ path: String) throws(DataFolderError) {
        guard !path.isEmpty else { throw Self.unnamed }
        try Self.make(path)
        self.path = path
        try verify()
    }

    /// Opens an existing folder, or returns `nil` if there is none.
    ///
    /// This initializer doesn't create or change anything.
    ///
    /// - Parameter path: The path of the folder. It is empty if there is no default folder.
    /// - Throws: ``DataFolderError`` if other users have access to the folder, or if ``init(_:)`` couldn't
    ///   create it.
    init?(existing path: String) throws(DataFolderError) {
        guard !path.isEmpty else { throw Self.unnamed }
        self.path = path
        var status = stat()
        // A link to a missing folder exists, so no folder can be created in its place.
        let isMissing = lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
        if isMissing {
            try Self.checkCreation(of: path)
            return nil
        }
        try verify()
    }

    /// The SQLite database file.
    var database: PrivateFile { file("latchkey.db") }

    /// Whether a server has already stored data in the folder.
    var isUsed: Bool {
        [file("secrets"), file("ca.key"), database].contains(where: \.exists)
    }

    /// A sentence for the operator that states that the folder now contains data.
    var creationNotice: String {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0, status.st_uid == 0 else {
            return "Created new data in \(path)."
        }
        return "Created new data in \(path), which belongs to root. "
            + "If the server runs as another user, run: chown -R USER \(path)"
    }

    /// Checks that the server can use the files that are in the folder, and create those that are missing.
    ///
    /// - Parameter usesSQLite: Whether the database is in the folder.
    /// - Throws: ``DataFolderError`` for the first file that cannot be used.
    func checkFiles(usesSQLite: Bool) throws(DataFolderError) {
        var isComplete = !usesSQLite
        let database = usesSQLite ? ["latchkey.db", "latchkey.db-wal", "latchkey.db-shm"] : []
        for name in ["lock", "secrets", "ca.key", "ca.pem", "admin.token"] + database {
            let file = path + "/" + name
            var status = stat()
            guard stat(file, &status) == 0 else {
                // A link to a missing file exists, but can't be opened.
                guard errno == ENOENT, lstat(file, &status) != 0 else {
                    throw DataFolderError("cannot use", path: file, errno: errno)
                }
                isComplete = false
                continue
            }
            guard status.st_mode & S_IFMT == S_IFREG else { throw DataFolderError("\(file) is not a file") }
            let isChanged = name == "lock" || database.contains(name)
            guard access(file, isChanged ? R_OK | W_OK : R_OK) == 0 else {
                throw DataFolderError("cannot use", path: file, errno: errno)
            }
        }
        guard isComplete || access(path, W_OK | X_OK) == 0 else {
            throw DataFolderError("cannot create files in", path: path, errno: errno)
        }
    }

    /// Checks that the server can replace and delete files in the folder.
    func checkIsWritable() throws(DataFolderError) {
        guard access(path, W_OK | X_OK) == 0 else {
            throw DataFolderError("cannot change files in", path: path, errno: errno)
        }
    }

    /// Returns a reference to a file in the folder.
    ///
    /// The file doesn't have to exist.
    func file(_ name: String) -> PrivateFile {
        PrivateFile(path + "/" + name)
    }

    /// Runs a closure while holding the folder's lock.
    ///
    /// If another process holds the lock, the calling thread blocks until the lock is released. The lock uses
    /// `flock`, so the operating system releases it when the process ends. The lock isn't recursive, and a
    /// nested call would block forever.
    ///
    /// - Throws: ``DataFolderError`` if the lock file cannot be created or locked, or any error thrown by the
    ///   closure.
    func exclusively<Outcome>(_ body: () throws -> Outcome) throws -> Outcome {
        let descriptor = try openLock()
        defer {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw DataFolderError("cannot lock", path: path, errno: errno) }
        }
        return try body()
    }

    /// Opens the lock file, or creates it for the owner of the folder.
    private func openLock() throws(DataFolderError) -> Int32 {
        let file = path + "/lock"
        // Another process may create or delete the file in the meantime.
        for _ in 0..<3 {
            let existing = open(file, O_RDWR | O_CLOEXEC)
            if existing >= 0 { return existing }
            guard errno == ENOENT else { throw DataFolderError("cannot open", path: file, errno: errno) }
            let descriptor = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                if FileOwner.inherit(descriptor, at: file) { return descriptor }
                defer {
                    unlink(file)
                    close(descriptor)
                }
                throw DataFolderError("cannot change the owner of", path: file, errno: errno)
            }
            guard errno == EEXIST else { throw DataFolderError("cannot create", path: file, errno: errno) }
        }
        throw DataFolderError("cannot open", path: file, errno: EEXIST)
    }

    private static let unnamed = DataFolderError("HOME is not set, so the data has no default folder")

    /// Throws an error if the path isn't a folder, or if other users have access to it.
    private func verify() throws(DataFolderError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw DataFolderError("cannot use", path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw DataFolderError("\(path) is not a folder") }
        guard status.st_mode & 0o077 == 0 else {
            throw DataFolderError("other users can access \(path); run: chmod 700 \(path)")
        }
    }

    /// Throws an error if a missing folder can't be created.
    private static func checkCreation(of path: String) throws(DataFolderError) {
        var parent = path[...]
        var status = stat()
        repeat {
            guard let slash = parent.dropFirst().lastIndex(of: "/") else {
                parent = parent.hasPrefix("/") ? "/" : "."
                break
            }
            parent = parent[..<slash]
        } while stat(String(parent), &status) != 0 && errno == ENOENT
        guard access(parent + "/.", W_OK | X_OK) == 0 else {
            throw DataFolderError("cannot create the folder", path: path, errno: errno)
        }
    }

    /// Creates a folder and its parent folders so that only the owner has access to them.
    ///
    /// Folders that already exist are not changed.
    private static func make(_ path: String) throws(DataFolderError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw DataFolderError("cannot create the folder", path: path, errno: errno)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw DataFolderError("cannot create the folder", path: path, errno: errno)
        }
    }
}
