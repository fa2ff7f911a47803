import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A reference to a file that only its owner should be able to access.
///
/// Files that are written with ``replace(with:)`` have the necessary permissions.
package struct PrivateFile: Sendable {
    /// The path of the file.
    let path: String

    /// Creates a reference to a file.
    ///
    /// The file doesn't have to exist.
    package init(_ path: String) {
        self.path = path
    }

    /// Whether the file exists.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Whether users other than the file's owner and group can read or write the file.
    ///
    /// This is `false` if the file doesn't exist.
    package var isOpenToOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o006 != 0
    }

    /// Reads the entire file.
    ///
    /// Returns `nil` if the file doesn't exist.
    func contentsIfPresent() throws(DataFolderError) -> [UInt8]? {
        guard access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return try contents() }
        return nil
    }

    /// Reads the entire file without a byte-order mark at its start.
    ///
    /// - Returns: The contents of the file.
    /// - Throws: ``DataFolderError`` if the file doesn't exist or cannot be read.
    package func contents() throws(DataFolderError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DataFolderError("cannot open", path: path, errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return Array(bytes.withoutByteOrderMark) }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw DataFolderError("cannot read", path: path, errno: errno)
            }
        }
    }

    /// Reads the entire file as text.
    ///
    /// - Returns: The text without a byte-order mark.
    /// - Throws: ``DataFolderError`` if the file cannot be read or isn't UTF-8.
    func text() throws(DataFolderError) -> String {
        let bytes = try contents()
        do {
            return try String(utf8: bytes)
        } catch {
            throw DataFolderError("\(path) is \(error)")
        }
    }

    /// Replaces the file atomically and syncs it to disk.
    ///
    /// The new contents are written to a temporary file with the suffix `.draft` first, which belongs to the
    /// owner of the folder. The caller must
    /// prevent concurrent calls, for example with ``DataFolder/exclusively(_:)``.
    ///
    /// - Parameter bytes: The new contents of the file.
    /// - Throws: ``DataFolderError``. The old file is left unchanged, unless only the final sync of the
    ///   folder failed.
    func replace(with bytes: [UInt8]) throws(DataFolderError) {
        let draft = path + ".draft"
        unlink(draft)
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolderError("cannot create", path: draft, errno: errno) }
        do throws(DataFolderError) {
            defer { close(descriptor) }
            guard FileOwner.inherit(descriptor, at: path) else {
                throw DataFolderError("cannot change the owner of", path: draft, errno: errno)
            }
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

    /// Writes all bytes to a file descriptor and syncs the file.
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

    /// Syncs the folder so that the rename is durable.
    private func syncFolder() throws(DataFolderError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DataFolderError("cannot write", path: path, errno: errno) }
    }
}
