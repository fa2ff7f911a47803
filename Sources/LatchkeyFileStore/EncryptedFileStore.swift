public import LatchkeyCore
public import LatchkeyModel

/// Keeps the session in a file that is sealed with a key from another folder.
///
/// The file is safe from whoever gets a copy of one of the two folders, such as a backup, and from other users.
/// It is not safe from programs that run as the same user. Reading makes no file and no folder. After ``remove()``
/// the folders are as on a device that never logged in, but for empty lock files and the key, which stay: the
/// locks because others may wait for them, the key because it belongs to all servers and apps.
public struct EncryptedFileStore: SessionStore {
    private static let byteLimit = 1 << 20

    private let location: StoreLocation
    private let name: RecordName
    private let random: any RandomSource
    private let patience: Duration

    /// Whether it yields to a record in the keyring.
    private var isOnLadder = false

    /// Creates a store; touches no file.
    ///
    /// - Parameters:
    ///   - server: The identity server, always spelled alike.
    ///   - app: The app; each has a record of its own.
    ///   - location: The folders.
    ///   - random: The source of the key and of nonces.
    public init(
        server: String,
        app: String,
        location: StoreLocation,
        random: any RandomSource = SystemRandom()
    ) {
        self.init(server: server, app: app, location: location, random: random, patience: .seconds(5))
    }

    /// Creates a store that waits for other holders of its lock for some time.
    init(
        server: String,
        app: String,
        location: StoreLocation,
        random: any RandomSource = SystemRandom(),
        patience: Duration
    ) {
        self.location = location
        name = RecordName(server: server, app: app)
        self.random = random
        self.patience = patience
    }

    /// Reads the record, without waiting for writers.
    ///
    /// - Returns: Absent only when there is no record file; unavailable when the file, its folder or its key
    ///   cannot be read, is damaged, may be read by others, or has a newer format.
    public func read() -> StoredRecord {
        do throws(SessionStoreError) {
            guard let folder = try Folder(existing: location.dataFolder) else { return .absent }
            // Looked at first: whoever erases the record takes the tombstone away after it.
            if try folder.holds(name.tombstoneName) {
                try? bury(in: folder, patience: .zero)
                return .absent
            }
            do throws(SessionStoreError) {
                return try contents(of: folder)
            } catch {
                guard error.code == .unreadable else { throw error }
                // A removal overwrites the file before it takes it away; under the lock there is none.
                let lock = try FileLock.wait(for: name.lockName, in: folder, patience: patience)
                defer { lock?.release() }
                return try contents(of: folder)
            }
        } catch {
            return .unavailable(error)
        }
    }

    /// Reads the record, without waiting for the lock.
    ///
    /// - Returns: The record or its absence; `nil` if the file cannot be read now, for instance while it is removed.
    public func readImmediately() -> StoredRecord? {
        do throws(SessionStoreError) {
            guard let folder = try Folder(existing: location.dataFolder) else { return .absent }
            return try folder.holds(name.tombstoneName) ? .absent : contents(of: folder)
        } catch {
            return nil
        }
    }

    /// Replaces the record, under the lock.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: `SessionStoreError`; its code is `locked` when another process held the lock all the time.
    public func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try write(bytes, basedOn: generation, while: { true })
    }

    /// Replaces the record, under the lock, unless the write is no longer wanted.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    ///   - isWanted: Returns whether the write is still wanted; called under the lock.
    /// - Returns: The generation of the new record.
    /// - Throws: `SessionStoreError`; its code is `locked` when another process held the lock all the time.
    public func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        guard bytes.count <= Self.byteLimit else {
            throw SessionStoreError(.failed, "The record has more than \(Self.byteLimit) bytes.")
        }
        let folder = try Folder(making: location.dataFolder)
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, patience: patience) else {
            throw Self.lockIsHeld
        }
        defer { lock.release() }
        try buryLocked(in: folder)
        // A removal that begins from here on finds the lock held, and leaves a tombstone for this write too.
        guard isWanted() else { throw .unwanted }
        if isOnLadder, try folder.holds(name.keyringMarkName) {
            throw SessionStoreError(.conflict, "A record was put into the keyring meanwhile.")
        }
        let next = try successor(of: generation, in: folder)
        let key = try KeyFile(folder: location.keyFolder).readOrMake(random: random, patience: patience)
        let file = try SealedRecord.file(bytes, generation: next, name: name, key: key, random: random)
        try folder.replace(name.fileName, with: file)
        return next
    }

    /// Removes the record and what a crash may have left of one.
    ///
    /// When another process holds the lock, a tombstone says at once that whatever record there is, or comes out of
    /// the write that is under way, is dead. The next login takes it away together with that record.
    ///
    /// - Throws: `SessionStoreError` when the record might be read again.
    public func remove() throws(SessionStoreError) {
        try beginRemoval()
        // The removal stands; there is no need to wait for long.
        completeRemoval(patience: min(patience, .milliseconds(500)))
    }

    /// Removes the record like ``remove()``, without waiting for the process that holds the lock.
    ///
    /// - Throws: `SessionStoreError` when the record might be read again.
    public func beginRemoval() throws(SessionStoreError) {
        let names = [
            name.fileName, name.lockName, name.tombstoneName, Folder.temporaryName(of: name.fileName),
        ]
        guard try holds(names), let folder = try Folder(existing: location.dataFolder) else { return }
        if let lock = try FileLock.wait(for: name.lockName, in: folder, patience: .zero) {
            defer { lock.release() }
            try folder.erase(name.fileName)
            return try folder.unmark(name.tombstoneName)
        }
        do throws(SessionStoreError) {
            try folder.mark(name.tombstoneName)
        } catch {
            // No room for a tombstone, perhaps; but the record can be erased.
            try folder.erase(name.fileName)
            throw Self.lockIsHeld
        }
    }

    /// Erases the record of a tombstone, if the lock can be had.
    public func completeRemoval() {
        completeRemoval(patience: patience)
    }

    private func completeRemoval(patience: Duration) {
        guard let folder = try? Folder(existing: location.dataFolder) else { return }
        guard (try? folder.holds(name.tombstoneName)) == true else { return }
        try? bury(in: folder, patience: patience)
    }

    /// Removes the record if it is of a generation, under the lock.
    ///
    /// - Parameter generation: The generation of the record that is to go.
    /// - Throws: `SessionStoreError`; its code is `conflict` when there is no such record, and `locked` when another
    ///   process held the lock all the time.
    public func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        guard let folder = try Folder(existing: location.dataFolder) else { throw Self.hasMovedOn }
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, patience: patience) else {
            throw Self.lockIsHeld
        }
        defer { lock.release() }
        try buryLocked(in: folder)
        guard case .present(_, generation) = try contents(of: folder) else { throw Self.hasMovedOn }
        try folder.erase(name.fileName)
    }

    /// Tells of changes that any process makes, through the kernel's notices or, where there are none left, by polling.
    ///
    /// - Parameter onChange: Called after one change or several.
    /// - Returns: What ends the telling; `nil` for a path that is not absolute.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        FolderWatch.start(on: location.dataFolder, names: name.watchedNames, onChange: onChange)
    }

    /// A lock on a file beside the record.
    public var refreshLock: (any RefreshLock)? {
        FileRefreshLock(folder: location.dataFolder, name: name.refreshLockName)
    }

    /// A file beside the record.
    public var journal: (any SessionJournal)? {
        FileJournal(folder: location.dataFolder, name: name.journalName)
    }

    /// An encrypted file.
    public var report: StorageReport { report(reason: "The app chose an encrypted file.") }

    /// A report with another reason.
    package func report(reason: String) -> StorageReport {
        let isPending = (try? holds([name.tombstoneName])) ?? false
        return StorageReport(rung: .encryptedFile, reason: reason, isErasurePending: isPending)
    }

    /// The same store, as one of several places where the record may be.
    package var onLadder: EncryptedFileStore {
        var store = self
        store.isOnLadder = true
        return store
    }

    /// Whether the record is here, or was until its removal.
    package func isInUse() throws(SessionStoreError) -> Bool {
        try holds([name.fileName, name.tombstoneName])
    }

    private static let lockIsHeld = SessionStoreError(
        .locked,
        "Another process holds the lock of the record."
    )

    private static let hasMovedOn = SessionStoreError(.conflict, "The record has moved on.")

    /// Whether the folder is there and has one of some files.
    private func holds(_ names: [String]) throws(SessionStoreError) -> Bool {
        guard let folder = try Folder(existing: location.dataFolder) else { return false }
        return try folder.holdsAny(names)
    }

    /// Erases the record of a tombstone, if the lock can be had.
    private func bury(in folder: borrowing Folder, patience: Duration) throws(SessionStoreError) {
        let lock = try FileLock.wait(for: name.lockName, in: folder, patience: patience)
        defer { lock?.release() }
        if lock != nil { try buryLocked(in: folder) }
    }

    /// Erases the record of a tombstone; nothing happens when a later login has done that.
    private func buryLocked(in folder: borrowing Folder) throws(SessionStoreError) {
        guard try folder.holds(name.tombstoneName) else { return }
        try folder.erase(name.fileName)
        try folder.unmark(name.tombstoneName)
    }

    private func contents(of folder: borrowing Folder) throws(SessionStoreError) -> StoredRecord {
        let limit = Self.byteLimit + SealedRecord.overhead
        guard let file = try folder.contents(of: name.fileName, limit: limit) else { return .absent }
        let record = try SealedRecord(file: file, name: name)
        guard let key = try KeyFile(folder: location.keyFolder).read() else {
            throw SessionStoreError(.unreadable, "There is a record, but its key is missing.")
        }
        return .present(try record.open(with: key), generation: record.generation)
    }

    /// The generation after one, if that one is what the folder holds now.
    private func successor(
        of generation: UInt64,
        in folder: borrowing Folder
    ) throws(SessionStoreError) -> UInt64 {
        switch try contents(of: folder) {
        case .unavailable(let error): throw error
        case .present(_, generation): return generation &+ 1
        // A random start: a change that is based on a removed record never fits the next one.
        case .absent where generation == 0: return random.bytes(7).reduce(0) { $0 << 8 | UInt64($1) } + 1
        case .present, .absent: throw Self.hasMovedOn
        }
    }
}
