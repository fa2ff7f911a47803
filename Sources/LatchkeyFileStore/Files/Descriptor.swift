#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Owns a file descriptor.
struct Descriptor: ~Copyable {
    let number: Int32

    init?(owning number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        close(number)
    }

    func status() -> stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// Reads from the start to the end, at most a number of bytes.
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

    /// Writes everything, and waits until it is on the disk.
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

    func synchronize() -> Bool {
        fsync(number) == 0
    }
}
