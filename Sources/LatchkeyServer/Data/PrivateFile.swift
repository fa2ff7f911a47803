#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that its owner alone may read.
struct PrivateFile: Sendable {
    /// Where it is.
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Reads the whole file.
    ///
    /// - Returns: Its bytes.
    /// - Throws: ``DataFolderError`` when it is not there or cannot be read.
    func contents() throws(DataFolderError) -> [UInt8] {
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

    /// Reads the file, and makes it first when it is not there.
    ///
    /// When two processes make it at the same time, both get the bytes of the one that came first: the file
    /// appears under its name whole and on the disk, or not at all.
    ///
    /// - Parameter make: Makes the bytes of a new file.
    /// - Returns: The bytes of the file.
    /// - Throws: ``DataFolderError``, and what `make` throws.
    func readOrMake(_ make: () throws -> [UInt8]) throws -> [UInt8] {
        if access(path, F_OK) != 0 { try publish(try make()) }
        return try contents()
    }

    private func publish(_ bytes: [UInt8]) throws(DataFolderError) {
        let draft = path + ".draft-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolderError("cannot create", draft, errno) }
        defer { unlink(draft) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno != EINTR {
                let reason = errno
                close(descriptor)
                throw DataFolderError("cannot write", draft, reason)
            }
        }
        let synced = fsync(descriptor)
        let reason = errno
        close(descriptor)
        guard synced == 0 else { throw DataFolderError("cannot write", draft, reason) }
        guard link(draft, path) == 0 || errno == EEXIST else {
            throw DataFolderError("cannot create", path, errno)
        }
    }
}
