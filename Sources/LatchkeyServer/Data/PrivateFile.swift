#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A reference to a file that ``replace(with:)`` writes with access for its owner only.
package struct PrivateFile: Sendable {
    /// The path of the file.
    let path: String

    /// Creates a reference to a file, which need not exist.
    package init(_ path: String) {
        self.path = path
    }

    /// Whether the file exists.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Whether users other than the file's owner and group can read or write the file.
    ///
    /// The value is `false` for a file that does not exist.
    package var isOpenToOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o006 != 0
    }

    /// Reads the whole file, or returns `nil` if it does not exist.
    func contentsIfPresent() throws(DataFolderError) -> [UInt8]? {
        guard access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return try contents() }
        return nil
    }

    /// Reads the whole file.
    ///
    /// - Returns: The contents.
    /// - Throws: ``DataFolderError`` if the file does not exist or cannot be read.
    package func contents() throws(DataFolderError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DataFolderError("cannot open", path: path, errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw DataFolderError("cannot read", path: path, errno: errno)
            }
        }
    }

    /// Replaces the file atomically and syncs it to disk.
    ///
    /// The new contents are first written to a draft with the suffix `.draft`. Concurrent calls must be
    /// prevented, for example by ``DataFolder/exclusively(_:)``.
    ///
    /// - Parameter bytes: The new contents.
    /// - Throws: ``DataFolderError``. The old file is unchanged, except if only the final sync of the folder
    ///   failed.
    func replace(with bytes: [UInt8]) throws(DataFolderError) {
        let draft = path + ".draft"
        unlink(draft)
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolderError("cannot create", path: draft, errno: errno) }
        do throws(DataFolderError) {
            defer { close(descriptor) }
            try fill(descriptor, with: bytes)
            guard rename(draft, path) == 0 else {
                throw DataFolderError("cannot create", path: path, errno: errno)
            }
        } catch {
            unlink(draft)
            throw error
        }
        try syncFolder()
    }

    /// Writes all bytes to a descriptor and syncs it.
    private func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(DataFolderError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno != EINTR {
                throw DataFolderError("cannot write", path: path, errno: errno)
            }
        }
        guard fsync(descriptor) == 0 else { throw DataFolderError("cannot write", path: path, errno: errno) }
    }

    /// Syncs the folder, which makes a rename durable.
    private func syncFolder() throws(DataFolderError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DataFolderError("cannot write", path: path, errno: errno) }
    }
}
