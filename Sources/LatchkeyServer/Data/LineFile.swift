import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file of short lines that supports random access.
final class LineFile {
    /// Thrown when a file cannot be read.
    struct Unreadable: Error {}

    /// The maximum length of a line, in bytes.
    ///
    /// Longer lines are truncated.
    private static let longest = 128

    /// The size of the file, in bytes.
    let size: Int

    /// The offset of the first line, which is after a byte-order mark if there is one.
    private(set) var start = 0

    private let descriptor: Int32

    /// Opens a file for reading.
    ///
    /// Throws ``Unreadable`` if the file cannot be opened.
    init(_ path: String) throws(Unreadable) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Unreadable() }
        var status = stat()
        size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        start = try read(from: 0).withoutByteOrderMark.startIndex
    }

    deinit {
        close(descriptor)
    }

    /// Returns the line that starts at an offset, without the line break, or `nil` at the end of the file.
    func line(from offset: Int) throws(Unreadable) -> [UInt8]? {
        let bytes = try read(from: offset)
        guard !bytes.isEmpty else { return nil }
        return Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    }

    /// Returns the offset at which the line that contains the given offset starts.
    ///
    /// The method looks for the preceding line break within 128 bytes, so lines must not be longer than that.
    func lineStart(at offset: Int) throws(Unreadable) -> Int {
        let start = max(start, offset - Self.longest)
        let before = try read(from: start).prefix(offset - start)
        guard let end = before.lastIndex(of: UInt8(ascii: "\n")) else { return start }
        return start + end + 1
    }

    /// Reads up to 128 bytes, because lines can't be longer than that.
    ///
    /// Returns an empty array at the end of the file.
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
