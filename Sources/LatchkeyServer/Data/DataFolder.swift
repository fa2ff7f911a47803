#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The folder that holds everything a server keeps; its owner alone may look into it.
struct DataFolder: Sendable {
    /// Where it is.
    let path: String

    /// Makes the folder, with those above it, when it is not there.
    ///
    /// - Parameter path: Where it is.
    /// - Throws: ``DataFolderError`` when it cannot be made, or when others may look into it.
    init(_ path: String) throws(DataFolderError) {
        self.path = path
        try Self.make(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw DataFolderError("cannot use", path, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw DataFolderError("\(path) is not a folder") }
        guard status.st_mode & 0o077 == 0 else {
            throw DataFolderError("others may look into \(path); run: chmod 700 \(path)")
        }
    }

    /// The database.
    var database: PrivateFile { file("latchkey.db") }

    /// A file of the folder.
    func file(_ name: String) -> PrivateFile {
        PrivateFile(path + "/" + name)
    }

    /// Runs a closure while no other process runs one for the same folder; waits for its turn.
    ///
    /// The operating system lets go of the lock when a process ends, however it ends.
    func exclusively<Outcome>(_ body: () throws -> Outcome) throws -> Outcome {
        let descriptor = open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolderError("cannot create", path + "/lock", errno) }
        defer {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw DataFolderError("cannot lock", path, errno) }
        }
        return try body()
    }

    private static func make(_ path: String) throws(DataFolderError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw DataFolderError("cannot create the folder", path, errno)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw DataFolderError("cannot create the folder", path, errno)
        }
    }
}
