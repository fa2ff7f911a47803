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
    /// - Parameter path: The path of the folder.
    /// - Throws: ``DataFolderError`` if the folder cannot be created or if other users have access to it.
    init(_ path: String) throws(DataFolderError) {
        self.path = path
        try Self.make(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw DataFolderError("cannot use", path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw DataFolderError("\(path) is not a folder") }
        guard status.st_mode & 0o077 == 0 else {
            throw DataFolderError("other users can access \(path); run: chmod 700 \(path)")
        }
    }

    /// The SQLite database file.
    var database: PrivateFile { file("latchkey.db") }

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
        let descriptor = open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DataFolderError("cannot create", path: path + "/lock", errno: errno)
        }
        defer {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw DataFolderError("cannot lock", path: path, errno: errno) }
        }
        return try body()
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
