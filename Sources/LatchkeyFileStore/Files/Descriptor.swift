#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file descriptor that is closed when this value is destroyed.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Takes ownership of a file descriptor.
    ///
    /// Returns `nil` if the number is negative, which indicates a failed call.
    init?(owning number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Returns the file's status.
    ///
    /// Returns `nil` and sets `errno` on failure.
    func status() -> stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// Reads at most `limit` bytes from the start of the file.
    ///
    /// Returns `nil` and sets `errno` on failure.
    func read(limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let step = bytes.withUnsafeMutableBytes {
                pread(number, $0.baseAddress.map { $0 + count }, limit - count, off_t(count))
            }
            if step < 0 && errno == EINTR { continue }
            guard step >= 0 else { return nil }
            if step == 0 { break }
            count += step
        }
        bytes.removeLast(limit - count)
        return bytes
    }

    /// Writes all bytes to the start of the file and synchronizes the file to disk.
    ///
    /// Returns whether both operations succeeded.
    func write(_ bytes: [UInt8]) -> Bool {
        var count = 0
        while count < bytes.count {
            let step = bytes.withUnsafeBytes {
                pwrite(number, $0.baseAddress.map { $0 + count }, bytes.count - count, off_t(count))
            }
            if step < 0 && errno == EINTR { continue }
            guard step > 0 else { return false }
            count += step
        }
        return synchronize()
    }

    /// Synchronizes the file or folder to disk and returns whether that succeeded.
    func synchronize() -> Bool {
        fsync(number) == 0
    }
}
