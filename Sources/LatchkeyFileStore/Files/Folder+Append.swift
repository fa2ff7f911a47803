#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Folder {
    /// Appends bytes to a file, in a single write if possible.
    ///
    /// Several processes may append to the file at the same time.
    ///
    /// Failures are ignored. A file that belongs to another user or is not a regular file is left unchanged.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to append.
    ///   - name: The name of the file, which is created with mode 0600 if it does not exist.
    ///   - limit: The size in bytes at which the file is renamed and a new file is started.
    ///   - rotatedName: The new name for a file that has reached the limit. An existing file with this name
    ///     is replaced.
    func append(_ bytes: [UInt8], to name: String, limit: Int, rotatedName: String) {
        for _ in 0..<2 {
            let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            guard
                let file = Descriptor(owning: openat(descriptor.number, name, flags, 0o600)),
                let status = file.status(), status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
            else { return }
            if status.st_size < limit {
                _ = write(file.number, bytes, bytes.count)
                return
            }
            guard renameat(descriptor.number, name, descriptor.number, rotatedName) == 0 else { return }
        }
    }
}
