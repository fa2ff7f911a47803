import Glibc
import LatchkeyCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file whose contents are replaced at once, so that other programs never read a part of them.
struct ReplacedFile {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Changes the contents.
    ///
    /// The permissions remain, and a symbolic link, too.
    ///
    /// - Parameter change: Returns the new contents. It is called with the old ones, or `nil` if there is no file. If
    ///   it returns the same, the file isn't written.
    /// - Throws: `LatchkeyError` with the code `storageFailed`.
    func update(_ change: ([UInt8]?) -> [UInt8]?) throws(LatchkeyError) {
        let old = try contents()
        guard let new = change(old), new != old else { return }
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        try write(new, to: target ?? path)
    }

    private func contents() throws(LatchkeyError) -> [UInt8]? {
        var status = stat()
        // A file that can't be read isn't overwritten.
        if stat(path, &status) != 0, errno == ENOENT { return nil }
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw failure("read")
        }
    }

    private func write(_ bytes: [UInt8], to target: String) throws(LatchkeyError) {
        let folder = target.lastIndex(of: "/").map { String(target[..<$0]) } ?? ""
        // The mode is that of the Base Directory Specification.
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let draft = "\(folder)/.latchkey-\(UInt64.random(in: 0...UInt64.max))"
        let descriptor = Glibc.open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("written") }
        var status = stat()
        let mode = stat(target, &status) == 0 ? status.st_mode & 0o7777 : 0o600
        let isWritten =
            fchmod(descriptor, mode) == 0 && fill(descriptor, with: bytes) && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(draft, target) == 0 else {
            let failure = failure("written")
            unlink(draft)
            throw failure
        }
    }

    private func fill(_ descriptor: Int32, with bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let place = off_t(rest.startIndex)
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Returns an error with the system's reason.
    func failure(_ action: String) -> LatchkeyError {
        LatchkeyError(
            .storageFailed,
            message: "\(path) can't be \(action): \(String(cString: strerror(errno)))."
        )
    }
}
