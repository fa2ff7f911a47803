#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The folder of a server's persistent data, which only its owner can access.
struct DataFolder: Sendable {
    /// The path of the folder.
    let path: String

    /// Creates the folder and its parents if they do not exist.
    ///
    /// - Parameter path: The path of the folder.
    /// - Throws: ``DataFolderError`` if the folder cannot be created, or if other users have access to it.
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

    /// Returns a file in the folder, which need not exist.
    func file(_ name: String) -> PrivateFile {
        PrivateFile(path + "/" + name)
    }

    /// Runs a closure while holding the folder's lock, after waiting for other processes that hold the lock.
    ///
    /// The lock is taken with `flock`, and the operating system releases it when the process ends.
    ///
    /// The lock is not recursive, so a nested call would block forever. The calling thread is blocked while
    /// it waits.
    ///
    /// - Throws: ``DataFolderError`` if the lock file cannot be created or locked, and the errors of the
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

    /// Creates a folder and its parents with access for the owner only, and leaves existing folders
    /// unchanged.
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
