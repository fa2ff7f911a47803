import LatchkeyCore
import LatchkeyCrypto
import LatchkeyModel

/// The user's key file on this device.
///
/// The file contains 32 random bytes. They are generated once, and are only replaced if they can't be used
/// because the file is damaged or other users could read it. A later format begins with `latchkey`, and this
/// version doesn't replace it.
struct KeyFile: Sendable {
    static let name = "session.key"

    private static let byteLimit = 4096

    let folder: String

    /// Reads the key, or returns `nil` if there is none.
    ///
    /// - Throws: `SessionStoreError` with the code `unreadable` if the key has the wrong length, or if its file
    ///   isn't a private file of the current user, and `newer` if the key has a newer format.
    func read() throws(SessionStoreError) -> [UInt8]? {
        guard
            let folder = try Folder(existing: folder),
            let key = try folder.contents(of: Self.name, limit: Self.byteLimit)
        else { return nil }
        guard key.count == AESGCM.keyByteCount || !key.starts(with: "latchkey".utf8) else {
            throw SessionStoreError(.newer, message: "The key for the session record has a newer format.")
        }
        guard key.count == AESGCM.keyByteCount else {
            throw SessionStoreError(.unreadable, message: "The key for the session record is damaged.")
        }
        return key
    }

    /// Reads the key.
    ///
    /// If the key file doesn't exist or is damaged, a new key is generated and stored. Records that were
    /// encrypted with the damaged key can't be read anyway.
    ///
    /// - Throws: `SessionStoreError` with the code `locked` if another process held the lock for `timeout`.
    func readOrCreate(random: some RandomSource, timeout: Duration) throws(SessionStoreError) -> [UInt8] {
        let folder = try Folder(creating: folder)
        if let key = try readUndamaged() { return key }
        // Apps only lock their own records, so we need a separate lock for the key that they all share.
        guard let lock = try FileLock.wait(forFolder: self.folder, timeout: timeout) else {
            throw SessionStoreError(
                .locked,
                message: "Another process holds the lock on the key's folder."
            )
        }
        defer { lock.release() }
        _ = folder.restoreMode(of: Self.name)
        if let key = try readUndamaged() { return key }
        let key = random.bytes(AESGCM.keyByteCount)
        guard key.count == AESGCM.keyByteCount else {
            throw SessionStoreError(.failed, message: "The system's random number generator returned no key.")
        }
        try folder.replace(Self.name, with: key)
        return key
    }

    /// Lets the current user read the key again if only the permissions of its file prevent that.
    func restoreMode() throws(SessionStoreError) {
        guard let folder = try Folder(existing: folder, repairing: true) else { return }
        _ = folder.restoreMode(of: Self.name)
    }

    /// Reads the key, or returns `nil` if there is none or its file is damaged.
    private func readUndamaged() throws(SessionStoreError) -> [UInt8]? {
        do throws(SessionStoreError) {
            return try read()
        } catch {
            guard error.code == .unreadable else { throw error }
            return nil
        }
    }
}
