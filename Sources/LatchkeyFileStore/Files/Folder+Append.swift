#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Folder {
    /// Adds bytes to the end of a file at once, as far as that is possible; several processes may do so.
    ///
    /// - Parameters:
    ///   - bytes: What to add.
    ///   - name: The file; made for this user alone.
    ///   - limit: How large it may be before it makes room for a new one.
    ///   - elder: What it is called from then on, in place of the one before it.
    func append(_ bytes: [UInt8], to name: String, limit: Int, elder: String) {
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
            guard renameat(descriptor.number, name, descriptor.number, elder) == 0 else { return }
        }
    }
}
