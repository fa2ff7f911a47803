package import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An advisory lock (`flock`) on a file, which only one thread of one process can hold at a time.
///
/// The kernel releases the lock when the process that holds it ends.
package final class FileLock {
    private var descriptor: Descriptor?

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = consume descriptor
    }

    /// Waits for the lock on a file, and blocks the thread.
    ///
    /// The file is created if it is missing and is never deleted.
    ///
    /// - Parameters:
    ///   - name: The name of the lock file.
    ///   - folder: The folder of the lock file.
    ///   - timeout: The time limit; `zero` makes a single attempt.
    /// - Returns: The lock, or `nil` if another holder did not release it within the time limit.
    /// - Throws: `SessionStoreError` if the file cannot be opened or locked.
    package static func wait(
        for name: String,
        in folder: borrowing Folder,
        timeout: Duration
    ) throws(SessionStoreError) -> FileLock? {
        // A lock on a file that has been deleted in the meantime does not exclude other processes, so the
        // file is checked again.
        for _ in 0..<100 {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            guard let file = Descriptor(owning: openat(folder.descriptor.number, name, flags, 0o600)) else {
                throw .system(operation: "open", file: name)
            }
            guard try tryLocking(file.number, name: name, timeout: timeout) else { return nil }
            if file.isLinked(as: name, in: folder) { return FileLock(file) }
        }
        throw SessionStoreError(.failed, message: "The lock file \(name) keeps disappearing.")
    }

    /// Waits for a lock on the folder itself, and blocks the thread.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, which must exist.
    ///   - timeout: The time limit; `zero` makes a single attempt.
    /// - Returns: The lock, or `nil` if another holder did not release it within the time limit.
    /// - Throws: `SessionStoreError` if the folder cannot be opened or locked.
    static func wait(forFolder path: String, timeout: Duration) throws(SessionStoreError) -> FileLock? {
        guard let folder = Descriptor(owning: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw .system(operation: "open the folder", file: path)
        }
        guard try tryLocking(folder.number, name: path, timeout: timeout) else { return nil }
        return FileLock(folder)
    }

    /// Releases the lock.
    ///
    /// Releasing in `deinit` would be too early, because the object's lifetime may end before its scope.
    /// Closing the descriptor alone may release the lock too late, because a child process that is being
    /// started has a copy of the descriptor.
    package func release() {
        if let number = descriptor?.number { flock(number, LOCK_UN) }
        descriptor = nil
    }

    /// Polls the lock with a back-off from 200 µs to 5 ms.
    private static func tryLocking(
        _ number: Int32,
        name: String,
        timeout: Duration
    ) throws(SessionStoreError) -> Bool {
        var waited = Duration.zero
        var pause = Duration.microseconds(200)
        while true {
            if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(operation: "lock", file: name) }
            guard waited < timeout else { return false }
            usleep(UInt32(pause / .microseconds(1)))
            waited += pause
            pause = min(pause * 2, .milliseconds(5))
        }
    }
}

extension Descriptor {
    /// Returns whether the name still refers to the open file, and not to another one.
    fileprivate borrowing func isLinked(as name: String, in folder: borrowing Folder) -> Bool {
        var linked = stat()
        guard
            let opened = status(),
            fstatat(folder.descriptor.number, name, &linked, AT_SYMLINK_NOFOLLOW) == 0
        else { return false }
        return opened.st_dev == linked.st_dev && opened.st_ino == linked.st_ino
    }
}
