package import LatchkeyCore

/// A refresh lock on a separate file, which remains empty.
///
/// The record's own lock is held only during a file operation, whereas a refresh lock is held during a whole
/// request.
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

    /// Waits for the lock, and blocks the thread.
    ///
    /// If the folder does not exist, it is created.
    ///
    /// - Parameter time: The time limit.
    /// - Returns: The lock, or `nil` after the time limit or if the file cannot be locked.
    package func wait(atMost time: Duration) -> HeldRefreshLock? {
        guard
            let folder = try? Folder(creating: folder),
            let lock = try? FileLock.wait(for: name, in: folder, timeout: time)
        else { return nil }
        let held = HeldLock(lock)
        return HeldRefreshLock { held.lock.release() }
    }
}

/// `@unchecked Sendable`: only the releasing closure uses the lock, and it is called once.
private final class HeldLock: @unchecked Sendable {
    let lock: FileLock

    init(_ lock: FileLock) {
        self.lock = lock
    }
}
