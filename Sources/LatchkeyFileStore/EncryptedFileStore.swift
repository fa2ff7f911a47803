public import LatchkeyCore
public import LatchkeyModel

/// A session store that uses an encrypted file (AES-256-GCM).
///
/// The record and its encryption key are stored in different folders.
///
/// The record is protected against other users, and against an attacker who obtains a copy of only one of the
/// two folders, such as a backup. The record is not protected against programs run by the same user.
///
/// Reading never creates files or folders. Once a removed record has been erased, only empty lock files and
/// the key are left of it. The lock files remain because other processes may be waiting for them. The key
/// remains because it is shared by all of the user's servers and apps.
public struct EncryptedFileStore: SessionStore {
    private static let byteLimit = 1 << 20

    private let server: String
    private let app: String
    private let location: StoreLocation
    private let name: RecordName
    private let random: any RandomSource
    private let timeout: Duration

    /// Whether writes fail while the keyring contains a record that wasn't removed.
    ///
    /// The value is `true` in a ``FallbackSessionStore``.
    private var isFallbackLevel = false

    /// Creates a store without accessing any files.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server. The URL identifies the record, so always spell it the same
    ///     way.
    ///   - app: The app's id. Each app has its own record.
    ///   - location: The folders for the record and the key.
    ///   - random: The random source for the key, nonces and initial generation numbers.
    public init(
        server: String,
        app: String,
        location: StoreLocation,
        random: any RandomSource = SystemRandom()
    ) {
        self.init(server: server, app: app, location: location, random: random, timeout: .seconds(5))
    }

    /// Creates a store with a custom lock timeout.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, which must always be spelled the same way.
    ///   - app: The app's id. Each app has its own record.
    ///   - location: The folders for the record and the key.
    ///   - random: The random source for the key, nonces and initial generation numbers.
    ///   - timeout: The maximum time to wait for a lock that is held by another process or thread.
    init(
        server: String,
        app: String,
        location: StoreLocation,
        random: any RandomSource = SystemRandom(),
        timeout: Duration
    ) {
        self.server = server
        self.app = app
        self.location = location
        name = RecordName(server: server, app: app)
        self.random = random
        self.timeout = timeout
    }

    /// Reads the record without waiting for writers.
    ///
    /// If the file looks damaged, which can happen during a removal, the method waits up to 5 seconds for the
    /// lock and reads the file again.
    ///
    /// - Returns: `absent` only if there is no record file or a tombstone marks it as removed. `unavailable`
    ///   if the file, its folder or its key cannot be read, is damaged, is accessible to other users, or has
    ///   a newer format. The code is `unreadable` if a login may replace the record, because this user can't
    ///   read it any more.
    public func read() -> StoredRecord {
        do throws(SessionStoreError) {
            guard let folder = try Folder(existing: location.dataFolder) else { return .absent }
            // We check the tombstone first because a removal only deletes it after the record has been
            // erased.
            if try folder.contains(name.tombstoneName) {
                try? eraseRemoved(in: folder, timeout: .zero)
                return .absent
            }
            do throws(SessionStoreError) {
                return try contents(of: folder)
            } catch {
                guard error.code == .unreadable else { throw error }
                // Removing a record overwrites the file before deleting it. While we hold the lock, no
                // removal can be in progress.
                let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout)
                defer { lock?.release() }
                return try contents(of: folder)
            }
        } catch {
            return .unavailable(error)
        }
    }

    /// Reads the record without waiting for the lock.
    ///
    /// - Returns: The record or its absence, or `nil` if the file cannot be read at the moment, for example
    ///   during a removal.
    public func readImmediately() -> StoredRecord? {
        do throws(SessionStoreError) {
            guard let folder = try Folder(existing: location.dataFolder) else { return .absent }
            return try folder.contains(name.tombstoneName) ? .absent : contents(of: folder)
        } catch {
            return nil
        }
    }

    /// Replaces the record while holding the lock.
    ///
    /// - Parameters:
    ///   - bytes: The new record, which may be up to 1 MiB large.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: `SessionStoreError` with the code `conflict` if the record has a different generation, or
    ///   `locked` if another process held the lock for 5 seconds.
    public func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try write(bytes, basedOn: generation, while: { true })
    }

    /// Replaces the record while holding the lock, unless the write has been withdrawn.
    ///
    /// - Parameters:
    ///   - bytes: The new record, which may be up to 1 MiB large.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    ///   - isWanted: A closure that returns whether the write is still wanted. The closure is called while
    ///     the lock is held.
    /// - Returns: The generation of the new record.
    /// - Throws: `SessionStoreError` with the code `conflict` if the record has a different generation or the
    ///   write was withdrawn, or `locked` if another process held the lock for 5 seconds.
    public func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        guard bytes.count <= Self.byteLimit else {
            throw SessionStoreError(.failed, message: "The record is larger than \(Self.byteLimit) bytes.")
        }
        let folder = try Folder(creating: location.dataFolder)
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout) else {
            throw Self.lockHeld
        }
        defer { lock.release() }
        try eraseRemovedLocked(in: folder)
        // A removal that starts after this check can't acquire the lock. Instead, it creates a tombstone,
        // which also applies to the record that is written here.
        guard isWanted() else { throw .unwanted }
        if isFallbackLevel, try isInKeyring(folder) {
            throw SessionStoreError(.conflict, message: "A record was stored in the keyring in the meantime.")
        }
        // Reading the key's folder doesn't repair it, but a write must not fail because of its permissions.
        _ = try Folder(existing: location.keyFolder, repairing: true)
        let next = try successor(of: generation, in: folder)
        let key = try KeyFile(folder: location.keyFolder).readOrCreate(random: random, timeout: timeout)
        let file = try SealedRecord.file(bytes, generation: next, name: name, key: key, random: random)
        try folder.replace(name.fileName, with: file)
        return next
    }

    /// Removes the record and any temporary file left behind by a crash.
    ///
    /// If another process holds the lock, a tombstone marks the record as removed right away, including a
    /// record that is still being written. A later operation, at the latest the next login, erases the
    /// tombstone and the record.
    ///
    /// - Throws: `SessionStoreError` if the removal failed, so the record might still be readable.
    public func remove() throws(SessionStoreError) {
        try beginRemoval()
        // The removal already took effect, so there is no need to wait longer than 500 ms.
        completeRemoval(timeout: min(timeout, .milliseconds(500)))
    }

    /// Removes the record like ``remove()``, but without waiting for a process that holds the lock.
    ///
    /// - Throws: `SessionStoreError` if the removal failed, so the record might still be readable.
    public func beginRemoval() throws(SessionStoreError) {
        let names = [
            name.fileName, name.lockName, name.tombstoneName, Folder.temporaryName(of: name.fileName),
        ]
        guard let folder = try Folder(existing: location.dataFolder, repairing: true) else { return }
        guard try folder.containsAny(of: names) else { return }
        if let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: .zero) {
            defer { lock.release() }
            try folder.erase(name.fileName)
            return try folder.unmark(name.tombstoneName)
        }
        do throws(SessionStoreError) {
            try folder.mark(name.tombstoneName)
        } catch {
            // We could not create the tombstone, for example because the disk is full, but we can still erase
            // the record.
            try folder.erase(name.fileName)
            throw Self.lockHeld
        }
    }

    /// Erases a record that has a tombstone, if the lock can be acquired within 5 seconds.
    public func completeRemoval() {
        completeRemoval(timeout: timeout)
    }

    private func completeRemoval(timeout: Duration) {
        guard let folder = try? Folder(existing: location.dataFolder) else { return }
        guard (try? folder.contains(name.tombstoneName)) == true else { return }
        try? eraseRemoved(in: folder, timeout: timeout)
    }

    /// Removes the record while holding the lock, if it has the given generation.
    ///
    /// - Parameter generation: The generation of the record to remove.
    /// - Throws: `SessionStoreError` with the code `conflict` if there is no record with that generation, or
    ///   `locked` if another process held the lock for 5 seconds.
    public func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        guard let folder = try Folder(existing: location.dataFolder) else { throw Self.generationConflict }
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout) else {
            throw Self.lockHeld
        }
        defer { lock.release() }
        try eraseRemovedLocked(in: folder)
        guard case .present(_, generation) = try contents(of: folder) else { throw Self.generationConflict }
        try folder.erase(name.fileName)
    }

    /// Removes the record while holding the lock, if its file or its key is damaged.
    ///
    /// - Throws: `SessionStoreError` with the code `locked` if another process held the lock for 5 seconds.
    public func removeUnreadable() throws(SessionStoreError) {
        try removeLocked { (folder) throws(SessionStoreError) in
            // If only the permissions are wrong, the record is intact.
            _ = folder.restoreMode(of: name.fileName)
            try KeyFile(folder: location.keyFolder).restoreMode()
            do throws(SessionStoreError) {
                _ = try contents(of: folder)
                return false
            } catch {
                guard error.code == .unreadable else { throw error }
                return true
            }
        }
    }

    /// Removes the record while holding the lock, if the keyring contains one as well.
    ///
    /// - Throws: `SessionStoreError` with the code `locked` if another process held the lock for 5 seconds.
    package func removeBesideKeyring() throws(SessionStoreError) {
        try removeLocked { (folder) throws(SessionStoreError) in try isInKeyring(folder) }
    }

    /// Watches the record for changes made by any process.
    ///
    /// The watch uses inotify, or polling if the inotify limits are exhausted.
    ///
    /// - Parameter onChange: Called after one or more changes.
    /// - Returns: The watch, or `nil` if the folder's path is not absolute. Watching stops when the returned
    ///   value is released.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        FolderWatch.start(on: location.dataFolder, names: name.watchedNames, onChange: onChange)
    }

    /// The lock for refreshing tokens.
    ///
    /// The lock uses an empty file in the record's folder.
    public var refreshLock: (any RefreshLock)? {
        FileRefreshLock(folder: location.dataFolder, name: name.refreshLockName)
    }

    /// The session journal.
    ///
    /// The journal uses a text file in the record's folder.
    public var journal: (any SessionJournal)? {
        FileJournal(folder: location.dataFolder, name: name.journalName)
    }

    /// Returns a store for side records that uses the same key and a different file in the same folder.
    ///
    /// - Parameter scope: Determines whether the side records are removed when the user signs out.
    /// - Returns: The store for the side records.
    public func sideStore(for scope: SideRecordScope) -> (any SessionStore)? { side(scope) }

    /// Returns the store that holds a scope's side records.
    package func side(_ scope: SideRecordScope) -> EncryptedFileStore {
        EncryptedFileStore(
            server: server,
            app: scope.recordName(of: app),
            location: location,
            random: random,
            timeout: timeout
        )
    }

    /// A report that the app itself chose to store the session in an encrypted file.
    public var report: StorageReport { report(reason: "The app configured an encrypted file.") }

    /// Returns a report that states why this store is used.
    package func report(reason: String) -> StorageReport {
        let isPending = (try? containsAny(of: [name.tombstoneName])) ?? false
        return StorageReport(level: .file, reason: reason, isErasurePending: isPending)
    }

    /// A copy of the store whose writes fail with `conflict` while the keyring contains the record.
    package var asFallbackLevel: EncryptedFileStore {
        var store = self
        store.isFallbackLevel = true
        return store
    }

    /// Returns whether the store contains a record file or a tombstone file.
    package func isInUse() throws(SessionStoreError) -> Bool {
        try containsAny(of: [name.fileName, name.tombstoneName])
    }

    private static let lockHeld = SessionStoreError(
        .locked,
        message: "Another process holds the lock on the record."
    )

    private static let generationConflict = SessionStoreError(
        .conflict,
        message: "The record was changed in the meantime."
    )

    /// Removes the record while holding the lock, if a condition holds that is checked under the lock.
    private func removeLocked(
        if isDoomed: (borrowing Folder) throws(SessionStoreError) -> Bool
    ) throws(SessionStoreError) {
        guard let folder = try Folder(existing: location.dataFolder, repairing: true) else { return }
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout) else {
            throw Self.lockHeld
        }
        defer { lock.release() }
        try eraseRemovedLocked(in: folder)
        if try isDoomed(folder) { try folder.erase(name.fileName) }
    }

    /// Returns whether the keyring contains a record that wasn't removed.
    private func isInKeyring(_ folder: borrowing Folder) throws(SessionStoreError) -> Bool {
        guard try folder.contains(name.keyringMarkName) else { return false }
        return try !folder.contains(name.keyringTombstoneName)
    }

    /// Returns whether the folder exists and contains one of the given files.
    private func containsAny(of names: [String]) throws(SessionStoreError) -> Bool {
        guard let folder = try Folder(existing: location.dataFolder) else { return false }
        return try folder.containsAny(of: names)
    }

    /// Erases a record that has a tombstone, if the lock can be acquired within `timeout`.
    private func eraseRemoved(in folder: borrowing Folder, timeout: Duration) throws(SessionStoreError) {
        let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout)
        defer { lock?.release() }
        if lock != nil { try eraseRemovedLocked(in: folder) }
    }

    /// Erases a record that has a tombstone, unless a later login has already done so.
    ///
    /// The caller must hold the lock.
    private func eraseRemovedLocked(in folder: borrowing Folder) throws(SessionStoreError) {
        guard try folder.contains(name.tombstoneName) else { return }
        try folder.erase(name.fileName)
        try folder.unmark(name.tombstoneName)
    }

    /// Reads and decrypts the record file.
    private func contents(of folder: borrowing Folder) throws(SessionStoreError) -> StoredRecord {
        let limit = Self.byteLimit + SealedRecord.overhead
        guard let file = try folder.contents(of: name.fileName, limit: limit) else { return .absent }
        let record = try SealedRecord(file: file, name: name)
        guard let key = try KeyFile(folder: location.keyFolder).read() else {
            throw SessionStoreError(.unreadable, message: "The key for the record is missing.")
        }
        return .present(try record.open(with: key), generation: record.generation)
    }

    /// Returns the next generation if the given one matches the stored record.
    ///
    /// - Throws: `SessionStoreError` with the code `conflict` if the stored record has a different
    ///   generation.
    private func successor(
        of generation: UInt64,
        in folder: borrowing Folder
    ) throws(SessionStoreError) -> UInt64 {
        switch try contents(of: folder) {
        case .unavailable(let error): throw error
        case .present(_, generation): return generation &+ 1
        // The first generation is random, so a change that is based on a removed record never matches a later
        // record.
        case .absent where generation == 0: return random.bytes(7).reduce(0) { $0 << 8 | UInt64($1) } + 1
        case .present, .absent: throw Self.generationConflict
        }
    }
}

extension EncryptedFileStore {
    /// Restores the mode of the folder for the record, which another store may share, if it exists.
    ///
    /// - Throws: `SessionStoreError` if the folder can't be used.
    package func repairFolder() throws(SessionStoreError) {
        _ = try Folder(existing: location.dataFolder, repairing: true)
    }
}
