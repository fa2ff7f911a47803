package import LatchkeyCore

/// A refresh lock on a separate file that always stays empty.
///
/// The record's own lock is only held during a file operation, while a refresh lock is held for the duration
/// of a request.
package struct FileRefreshLock: RefreshLock {
    private let folder: String
    private let name: String

    /// Creates a reference to a lock file.
    ///
    /// The folder and the file are created by ``wait(atMost:)``.
    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Blocks the thread until the lock is acquired.
    ///
    /// The folder is created if it does not exist.
    ///
    /// - Parameter time: The maximum time to wait.
    /// - Returns: The lock, or `nil` if it could not be acquired in time or the file cannot be locked.
    package func wait(atMost time: Duration) -> HeldRefreshLock? {
        guard
            let folder = try? Folder(creating: folder),
            let lock = try? FileLock.wait(for: name, in: folder, timeout: time)
        else { return nil }
        let held = HeldLock(lock)
        return HeldRefreshLock { held.lock.release() }
    }
}

/// `@unchecked Sendable` is safe because the lock is only used by the release closure, which is called once.
private final class HeldLock: @unchecked Sendable {
    let lock: FileLock

    init(_ lock: FileLock) {
        self.lock = lock
    }
}
