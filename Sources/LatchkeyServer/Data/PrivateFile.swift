#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that its owner alone may read.
package struct PrivateFile: Sendable {
    /// Where it is.
    let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Whether it is there.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Whether users other than its owner and its group may read or write it.
    package var isOpenToOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o006 != 0
    }

    /// Reads the whole file, or returns `nil` if there is none.
    func contentsIfPresent() throws(DataFolderError) -> [UInt8]? {
        guard access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return try contents() }
        return nil
    }

    /// Reads the whole file.
    ///
    /// - Returns: Its bytes.
    /// - Throws: ``DataFolderError`` when it is not there or cannot be read.
    package func contents() throws(DataFolderError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DataFolderError("cannot open", path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw DataFolderError("cannot read", path, errno)
            }
        }
    }

    /// Puts the file in place, whole and on the disk, in place of what was there.
    ///
    /// - Parameter bytes: What it holds.
    /// - Throws: ``DataFolderError``; then the file is as it was.
    func replace(with bytes: [UInt8]) throws(DataFolderError) {
        let draft = path + ".draft"
        unlink(draft)
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolderError("cannot create", draft, errno) }
        do {
            defer { close(descriptor) }
            try fill(descriptor, with: bytes)
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else { throw DataFolderError("cannot create", path, errno) }
        try syncFolder()
    }

    private func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(DataFolderError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno != EINTR {
                throw DataFolderError("cannot write", path, errno)
            }
        }
        guard fsync(descriptor) == 0 else { throw DataFolderError("cannot write", path, errno) }
    }

    /// A new name is on the disk only when its folder is.
    private func syncFolder() throws(DataFolderError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DataFolderError("cannot write", path, errno) }
    }
}
