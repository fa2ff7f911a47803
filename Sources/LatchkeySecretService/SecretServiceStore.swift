public import LatchkeyCore
import LatchkeyFileStore
public import LatchkeyModel

/// A session store that uses the user's keyring through the desktop's Secret Service.
///
/// The keyring is encrypted with the user's password and is unlocked while the user is logged in. The store
/// never prompts the user. While the keyring is locked, the record is *unavailable*, and the user or the app
/// must unlock the keyring. Calls never wait more than a few seconds for the bus.
///
/// The store also uses a folder with small files that contain no secrets. A lock file serializes writes by
/// several processes. A flag file indicates that there is a record, and watchers are notified when the flag
/// file changes. A tombstone marks a record that was removed while the keyring was locked.
public struct SecretServiceStore: SessionStore {
    let folder: String
    let name: RecordName
    let random: any RandomSource
    let timeout: Duration
    private let server: String
    private let app: String
    private let bus: SessionBus?
    /// The number of removals that this store and its copies have started.
    let removalCount = Locked(0)
    /// Whether a write fails if the record is already stored in an encrypted file.
    ///
    /// The value is `true` in a ``FallbackSessionStore``.
    var isFallbackLevel = false

    /// Creates a store without accessing the keyring or any files.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server. The URL identifies the record, so always spell it the same
    ///     way.
    ///   - app: The app's id. Each app has its own record.
    ///   - folder: The folder for the files that accompany the keyring, which is created when it is first
    ///     needed.
    ///   - busAddress: The D-Bus address of the message bus, or `nil` for the user's session bus.
    ///   - random: The random source for the initial generation numbers.
    public init(
        server: String,
        app: String,
        folder: String,
        busAddress: String? = nil,
        random: any RandomSource = SystemRandom()
    ) {
        self.init(
            server: server,
            app: app,
            folder: folder,
            bus: busAddress.map { SessionBus(address: $0) } ?? .current,
            random: random,
            timeout: .seconds(5)
        )
    }

    /// Creates a store with a custom timeout.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, which must always be spelled the same way.
    ///   - app: The app's id. Each app has its own record.
    ///   - folder: The folder for the files that accompany the keyring.
    ///   - bus: The message bus to use, or `nil` if there is none.
    ///   - random: The random source for the initial generation numbers.
    ///   - timeout: The maximum time to wait for the bus, and separately for the lock.
    init(
        server: String,
        app: String,
        folder: String,
        bus: SessionBus?,
        random: any RandomSource = SystemRandom(),
        timeout: Duration
    ) {
        self.server = server
        self.app = app
        self.folder = folder
        self.bus = bus
        self.random = random
        self.timeout = timeout
        name = RecordName(server: server, app: app)
    }

    /// Reads the record without waiting for writers.
    ///
    /// - Returns: `absent` only if the keyring can be searched and contains no record, or if a tombstone
    ///   marks the record as removed. `unavailable` if the keyring is locked, does not respond within 5
    ///   seconds, or contains a record that is damaged or has a newer format.
    public func read() -> StoredRecord {
        let removals = removalCount.withLock { $0 }
        do throws(SessionStoreError) {
            let folder = try Folder(existing: folder)
            var isMarked = false
            if let folder {
                // We check the tombstone first because a removal only deletes it after the record has been
                // erased.
                if try folder.contains(name.keyringTombstoneName) {
                    try? eraseRemoved(in: folder, timeout: .zero)
                    return .absent
                }
                isMarked = try folder.contains(name.keyringMarkName)
            }
            let service = try service()
            let found = try record(in: service, isMarked: isMarked)
            if !isMarked, case .present = found { restoreMark(of: service, unlessRemovedSince: removals) }
            return found
        } catch {
            return .unavailable(error)
        }
    }

    /// Replaces the record while holding the lock.
    ///
    /// - Parameters:
    ///   - bytes: The new record, which can be up to 1 MiB in size.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: `SessionStoreError` with the code `conflict` if the record has another generation, or
    ///   `locked` if the keyring is locked or another process held the lock for 5 seconds.
    public func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try write(bytes, basedOn: generation, while: { true })
    }

    /// Replaces the record while holding the lock, unless the write has been withdrawn.
    ///
    /// - Parameters:
    ///   - bytes: The new record, which can be up to 1 MiB in size.
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    ///   - isWanted: A closure that returns `false` to cancel the write. The closure is called while the lock
    ///     is held.
    /// - Returns: The generation of the new record.
    /// - Throws: `SessionStoreError` with the code `conflict` if the record has another generation or the
    ///   write was withdrawn, or `locked` if the keyring is locked or another process held the lock for 5
    ///   seconds.
    public func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        guard bytes.count <= 1 << 20 else {
            throw SessionStoreError(.failed, message: "The record is larger than \(1 << 20) bytes.")
        }
        // We check the bus first so that we don't create a folder if a record cannot be stored anyway.
        guard bus != nil else { throw Self.noBus }
        let folder = try Folder(creating: folder)
        let lock = try wait(in: folder)
        defer { lock.release() }
        let service = try service()
        try eraseRemovedLocked(service, in: folder)
        if isFallbackLevel, try folder.contains(name.fileName) {
            throw SessionStoreError(.conflict, message: "A record was stored in a file in the meantime.")
        }
        let isMarked = try folder.contains(name.keyringMarkName)
        let (item, next) = try successor(of: generation, in: service, isMarked: isMarked)
        let text = KeyringRecord(generation: next, bytes: bytes).text
        let collection = item == nil ? try openCollection(of: service) : nil
        // We create the flag before the item because from now on the keyring may contain a record even if it
        // does not respond.
        try folder.mark(name.keyringMarkName)
        // If a removal starts after this check, it finds the flag and creates a tombstone, which also
        // invalidates the record that we are about to write.
        guard isWanted() else {
            if !isMarked { try folder.unmark(name.keyringMarkName) }
            throw .unwanted
        }
        if let item { try service.setSecret(text, of: item) }
        if let collection { try create(text, in: collection, of: service) }
        folder.touch(name.keyringMarkName)
        return next
    }

    /// Removes the record after marking it as removed with a tombstone.
    ///
    /// If the keyring is locked or does not respond within 2 seconds, the tombstone remains and a later
    /// operation erases the record. A record that is stored later is not affected.
    ///
    /// - Throws: `SessionStoreError` if the record might still be readable afterwards.
    public func remove() throws(SessionStoreError) {
        let brief = min(timeout, .seconds(2))
        if try !isInUse() {
            // Either the folder was deleted or there never was a record. If there never was one, we don't
            // create any files.
            guard try hasItems(Deadline(after: brief)) else { return }
        }
        let folder = try Folder(creating: folder)
        do throws(SessionStoreError) {
            try folder.mark(name.keyringTombstoneName)
        } catch {
            // We could not create the tombstone, for example because the disk is full, but we can still erase
            // the record.
            try erase(service(within: brief))
            return try folder.unmark(name.keyringMarkName)
        }
        // The removal already took effect, so there is no need to wait longer than 2 seconds.
        try? eraseRemoved(in: folder, timeout: brief)
    }

    /// Creates a tombstone if a record was stored.
    ///
    /// This method does not query the bus or wait for a lock.
    ///
    /// - Throws: `SessionStoreError` if the record might still be readable afterwards.
    public func beginRemoval() throws(SessionStoreError) {
        removalCount.withLock { $0 += 1 }
        guard let folder = try Folder(existing: folder, repairing: true), try isInUse() else { return }
        try folder.mark(name.keyringTombstoneName)
    }

    /// Erases a record that has a tombstone or no flag file, if the lock and the keyring are available.
    public func completeRemoval() {
        do throws(SessionStoreError) {
            if try !isInUse() {
                guard try hasItems(Deadline(after: min(timeout, .seconds(2)))) else { return }
                return try eraseUnmarked()
            }
            guard let folder = try Folder(existing: folder) else { return }
            try eraseRemoved(in: folder, timeout: timeout)
        } catch {
            // The tombstone remains, and the next operation tries again.
        }
    }

    /// Removes the record while holding the lock, if it has the given generation.
    ///
    /// - Parameter generation: The generation of the record to remove.
    /// - Throws: `SessionStoreError` with the code `conflict` if there is no record with that generation, or
    ///   `locked` if the keyring is locked or another process held the lock for 5 seconds.
    public func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        guard let folder = try Folder(existing: folder) else { throw Self.generationConflict }
        let lock = try wait(in: folder)
        defer { lock.release() }
        let service = try service()
        try eraseRemovedLocked(service, in: folder)
        let isMarked = try folder.contains(name.keyringMarkName)
        guard case .present(_, generation) = try record(in: service, isMarked: isMarked) else {
            throw Self.generationConflict
        }
        try removeLocked(service, in: folder)
    }

    /// Removes the record while holding the lock, if its item in the keyring is damaged.
    ///
    /// - Throws: `SessionStoreError` with the code `locked` if the keyring is locked or another process held
    ///   the lock for 5 seconds.
    public func removeUnreadable() throws(SessionStoreError) {
        let folder = try Folder(creating: folder)
        let lock = try wait(in: folder)
        defer { lock.release() }
        let service = try service()
        try eraseRemovedLocked(service, in: folder)
        do throws(SessionStoreError) {
            _ = try record(in: service, isMarked: try folder.contains(name.keyringMarkName))
        } catch {
            guard error.code == .unreadable else { throw error }
            try removeLocked(service, in: folder)
        }
    }

    /// Removes the record for good, and erases as many of its items as possible.
    ///
    /// The tombstone comes first, so that an older copy is not read if only a part of the items can be erased.
    ///
    /// The caller must hold the lock.
    private func removeLocked(
        _ service: SecretService,
        in folder: borrowing Folder
    ) throws(SessionStoreError) {
        try folder.mark(name.keyringTombstoneName)
        try? eraseRemovedLocked(service, in: folder)
    }

    /// Watches for changes that are made to the record by any process whose store uses the same folder.
    ///
    /// - Parameter onChange: Called after one or more changes.
    /// - Returns: The watch, or `nil` if the folder's path is not absolute. Watching stops when the returned
    ///   value is released.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        FolderWatch.start(on: folder, names: name.watchedNames, onChange: onChange)
    }

    /// The lock for refreshing tokens.
    ///
    /// The lock uses an empty file in the folder.
    public var refreshLock: (any RefreshLock)? {
        FileRefreshLock(folder: folder, name: name.refreshLockName)
    }

    /// The session journal.
    ///
    /// The journal uses a text file in the folder.
    public var journal: (any SessionJournal)? {
        FileJournal(folder: folder, name: name.journalName)
    }

    /// Returns a store that uses another item in the keyring and files in the same folder.
    ///
    /// - Parameter scope: The kind of data to keep alongside the session.
    /// - Returns: The store for data of the given kind.
    public func sideStore(for scope: SideRecordScope) -> (any SessionStore)? { side(scope) }

    /// Returns the store for the data of the given scope.
    func side(_ scope: SideRecordScope) -> SecretServiceStore {
        SecretServiceStore(
            server: server,
            app: scope.recordName(of: app),
            folder: folder,
            bus: bus,
            random: random,
            timeout: timeout
        )
    }

    /// A report that the session is in the keyring because the app is configured to use it.
    public var report: StorageReport { report(reason: "The app is configured to use the keyring.") }

    private func wait(in folder: borrowing Folder) throws(SessionStoreError) -> FileLock {
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout) else {
            throw SessionStoreError(.locked, message: "Another process holds the lock on the record.")
        }
        return lock
    }

    private func hasItems(_ deadline: Deadline) throws(SessionStoreError) -> Bool {
        let found = try service(deadline).search(attributes)
        return !found.unlocked.isEmpty || !found.locked.isEmpty
    }
}

// These members are used by the extensions of this store in other source files.
extension SecretServiceStore {
    /// The attributes that identify the record's items.
    ///
    /// The attributes do not include the format, so that records in newer formats are found as well.
    var attributes: [String: String] {
        ["xdg:schema": "latchkey.session", "server": server, "app": app]
    }

    static let noBus = SessionStoreError(.failed, message: "No D-Bus session bus is available.")

    var label: String { "Login of \(app) at \(server)" }

    /// Connects to the keyring.
    ///
    /// The time limit covers connecting and all calls. The default is `timeout`.
    func service(within time: Duration? = nil) throws(SessionStoreError) -> SecretService {
        try service(Deadline(after: time ?? timeout))
    }

    /// Connects to the keyring with a deadline that other operations may share.
    func service(_ deadline: Deadline) throws(SessionStoreError) -> SecretService {
        guard let bus else { throw Self.noBus }
        return SecretService(try BusConnection(bus, deadline: deadline))
    }
}
