package import LatchkeyCore

/// A refresh lock on a file of its own, which stays empty.
///
/// It is not the lock of the record: that one is held for the moment of a file operation, this one while a request
/// is on its way.
package struct FileRefreshLock: RefreshLock {
    private let folder: String
    private let name: String

    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    package func wait(atMost time: Duration) -> HeldRefreshLock? {
        guard
            let folder = try? Folder(making: folder),
            let lock = try? FileLock.wait(for: name, in: folder, patience: time)
        else { return nil }
        let held = HeldLock(lock)
        return HeldRefreshLock { held.lock.release() }
    }
}

/// `@unchecked Sendable`: the lock is used once, by the closure that releases it, which is called once.
private final class HeldLock: @unchecked Sendable {
    let lock: FileLock

    init(_ lock: FileLock) {
        self.lock = lock
    }
}
