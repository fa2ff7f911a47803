package import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A lock that one thread of one process holds at a time; the system releases it when its holder dies.
package final class FileLock {
    private var descriptor: Descriptor?

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = consume descriptor
    }

    /// Waits for the lock on a file, which is made when it is missing and stays.
    ///
    /// - Returns: Nothing when somebody else held the lock all the time.
    package static func wait(
        for name: String,
        in folder: borrowing Folder,
        patience: Duration
    ) throws(SessionStoreError) -> FileLock? {
        // Whoever locks a file that has since been taken away locks nothing that others see.
        for _ in 0..<100 {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            guard let file = Descriptor(owning: openat(folder.descriptor.number, name, flags, 0o600)) else {
                throw .system("open", name)
            }
            guard try tryLocking(file.number, name, patience) else { return nil }
            if file.isStill(name, in: folder) { return FileLock(file) }
        }
        throw SessionStoreError(.failed, "The lock file \(name) keeps disappearing.")
    }

    /// Waits for the lock on the folder itself.
    ///
    /// - Returns: Nothing when somebody else held the lock all the time.
    static func wait(forFolder path: String, patience: Duration) throws(SessionStoreError) -> FileLock? {
        guard let folder = Descriptor(owning: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw .system("open the folder", path)
        }
        guard try tryLocking(folder.number, path, patience) else { return nil }
        return FileLock(folder)
    }

    /// Gives the lock back.
    ///
    /// It is not left to the end of the object's life, which may come before that of the scope; nor to the end of the
    /// descriptor, of which a program that is being started in this moment has a copy.
    package func release() {
        if let number = descriptor?.number { flock(number, LOCK_UN) }
        descriptor = nil
    }

    private static func tryLocking(
        _ number: Int32,
        _ name: String,
        _ patience: Duration
    ) throws(SessionStoreError) -> Bool {
        var waited = Duration.zero
        var pause = Duration.microseconds(200)
        while true {
            if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .system("lock", name) }
            guard waited < patience else { return false }
            usleep(UInt32(pause / .microseconds(1)))
            waited += pause
            pause = min(pause * 2, .milliseconds(5))
        }
    }
}

extension Descriptor {
    fileprivate borrowing func isStill(_ name: String, in folder: borrowing Folder) -> Bool {
        var there = stat()
        guard
            let here = status(),
            fstatat(folder.descriptor.number, name, &there, AT_SYMLINK_NOFOLLOW) == 0
        else { return false }
        return here.st_dev == there.st_dev && here.st_ino == there.st_ino
    }
}
