package import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An advisory file lock (`flock`).
///
/// Only one thread of one process can hold the lock at a time.
///
/// If the process that holds the lock exits, the kernel releases it.
package final class FileLock {
    private var descriptor: Descriptor?

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = consume descriptor
    }

    /// Blocks the thread until the lock on a file is acquired.
    ///
    /// The file is created if it does not exist. It is only deleted if it cannot be used as a lock file, for
    /// example because it is a folder or belongs to another user. If only its permissions prevent that, they
    /// are restored, because another process may hold the lock.
    ///
    /// - Parameters:
    ///   - name: The name of the lock file.
    ///   - folder: The folder that contains the lock file.
    ///   - timeout: The maximum time to wait. If the timeout is `zero`, there is only one attempt.
    /// - Returns: The lock, or `nil` if it was not released in time.
    /// - Throws: `SessionStoreError` if the file cannot be opened or locked.
    package static func wait(
        for name: String,
        in folder: borrowing Folder,
        timeout: Duration
    ) throws(SessionStoreError) -> FileLock? {
        // Locking a file that has just been deleted does not exclude other processes, so we check whether the
        // file still exists.
        for _ in 0..<100 {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            guard let file = Descriptor(owning: openat(folder.descriptor.number, name, flags, 0o600)) else {
                let isObstacle = Folder.isObstacle(errno)
                let failure = SessionStoreError.system(operation: "open", file: name)
                guard isObstacle, try folder.contains(name) else { throw failure }
                guard try removeObstacle(name, in: folder, flags: flags, timeout: timeout) else { return nil }
                continue
            }
            guard try tryLocking(file.number, name: name, timeout: timeout) else { return nil }
            if file.isLinked(as: name, in: folder) { return FileLock(file) }
        }
        throw SessionStoreError(.failed, message: "The lock file \(name) keeps disappearing.")
    }

    /// Blocks the thread until the lock on the folder itself is acquired.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, which must exist.
    ///   - timeout: The maximum time to wait. If the timeout is `zero`, there is only one attempt.
    /// - Returns: The lock, or `nil` if it was not released in time.
    /// - Throws: `SessionStoreError` if the folder cannot be opened or locked.
    static func wait(forFolder path: String, timeout: Duration) throws(SessionStoreError) -> FileLock? {
        guard let folder = Descriptor(owning: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw .system(operation: "open the folder", file: path)
        }
        guard try tryLocking(folder.number, name: path, timeout: timeout) else { return nil }
        return FileLock(folder)
    }

    /// Removes an entry that cannot be opened as a lock file.
    ///
    /// The folder is locked meanwhile. Otherwise, a second process that found the same obstacle could delete
    /// the lock file that the first process has just created.
    ///
    /// - Returns: `false` if another process held the lock on the folder for `timeout`.
    private static func removeObstacle(
        _ name: String,
        in folder: borrowing Folder,
        flags: Int32,
        timeout: Duration
    ) throws(SessionStoreError) -> Bool {
        let path = "the folder of \(name)"
        let number = openat(folder.descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard let opened = Descriptor(owning: number) else { throw .system(operation: "open", file: path) }
        guard try tryLocking(opened.number, name: path, timeout: timeout) else { return false }
        defer { flock(opened.number, LOCK_UN) }
        let file = Descriptor(owning: openat(folder.descriptor.number, name, flags, 0o600))
        if file == nil, Folder.isObstacle(errno), !folder.restoreMode(of: name, isSecret: false) {
            try folder.unlink(name)
        }
        return true
    }

    /// Releases the lock.
    ///
    /// We cannot release the lock in `deinit` because the object may be destroyed before the end of its
    /// scope. Closing the descriptor alone may be too late, because a child process that is being started has
    /// a copy of it.
    package func release() {
        if let number = descriptor?.number { flock(number, LOCK_UN) }
        descriptor = nil
    }

    /// Polls the lock with a back-off that grows from 200 µs to 5 ms.
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
    /// Returns whether the name still refers to the open file.
    fileprivate borrowing func isLinked(as name: String, in folder: borrowing Folder) -> Bool {
        var linked = stat()
        guard
            let opened = status(),
            fstatat(folder.descriptor.number, name, &linked, AT_SYMLINK_NOFOLLOW) == 0
        else { return false }
        return opened.st_dev == linked.st_dev && opened.st_ino == linked.st_ino
    }
}
