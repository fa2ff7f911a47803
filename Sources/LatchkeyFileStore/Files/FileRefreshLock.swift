package import LatchkeyCore

/// A refresh lock on a separate file, which remains empty.
///
/// It is separate from the record's lock, because that lock is held only during a file operation, while a
/// refresh lock is held during a request.
package struct FileRefreshLock: RefreshLock {
    private let folder: String
    private let name: String

    /// Creates a reference to a lock file; neither the folder nor the file is created before
    /// ``wait(atMost:)``.
    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Waits for the lock, creating the folder if needed; blocks the thread.
    ///
    /// - Parameter time: The time limit.
    /// - Returns: The lock, or `nil` on timeout or if the file cannot be locked.
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
