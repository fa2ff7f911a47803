#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file of short lines with random access.
final class LineFile {
    /// The error for a file that cannot be read.
    struct Unreadable: Error {}

    /// The maximum length of a line in bytes.
    ///
    /// The rest of a longer line is not read.
    private static let longest = 128

    /// The size of the file in bytes.
    let size: Int

    private let descriptor: Int32

    /// Opens a file for reading, or throws ``Unreadable`` if it cannot be opened.
    init(_ path: String) throws(Unreadable) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Unreadable() }
        var status = stat()
        size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    deinit {
        close(descriptor)
    }

    /// Returns the line that begins at an offset, without its line end, or `nil` at the end of the file.
    func line(from offset: Int) throws(Unreadable) -> [UInt8]? {
        let bytes = try read(from: offset)
        guard !bytes.isEmpty else { return nil }
        return Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    }

    /// Returns the offset of the beginning of the line that contains an offset.
    ///
    /// Lines must not be longer than 128 bytes, because the preceding line end is searched for only within
    /// that distance.
    func lineStart(at offset: Int) throws(Unreadable) -> Int {
        let start = max(0, offset - Self.longest)
        let before = try read(from: start).prefix(offset - start)
        guard let end = before.lastIndex(of: UInt8(ascii: "\n")) else { return start }
        return start + end + 1
    }

    /// Reads at most the maximum length of a line from an offset, or returns an empty array at the end of the
    /// file.
    private func read(from offset: Int) throws(Unreadable) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        while true {
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count >= 0 { return Array(bytes.prefix(count)) }
            guard errno == EINTR else { throw Unreadable() }
        }
    }
}
