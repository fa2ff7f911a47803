public import LatchkeyCore
import LatchkeyFileStore
public import LatchkeyModel

/// Keeps the session in the user's keyring, through the Secret Service of the desktop.
///
/// The keyring is encrypted with the user's password, and open while the user is logged in. Nothing here ever asks
/// the user for anything: a keyring that is locked is *unavailable*, and unlocking it is the user's and the app's
/// affair. No call waits longer than some seconds for the bus.
///
/// Beside the keyring lie small files without secrets in a folder: the lock that makes writes of several processes
/// take turns, a mark that says that there is a record, whose changes others watch, and, after a removal that met a
/// locked keyring, a tombstone.
public struct SecretServiceStore: SessionStore {
    let folder: String
    let name: RecordName
    let random: any RandomSource
    let patience: Duration
    private let server: String
    private let app: String
    private let bus: SessionBus?
    /// How many removals were begun by this store and its copies.
    let removalCount = Locked(0)
    var isOnLadder = false

    /// Creates a store; touches nothing.
    ///
    /// - Parameters:
    ///   - server: The identity server, always spelled alike.
    ///   - app: The app; each has a record of its own.
    ///   - folder: The folder of the files beside the keyring; made when it is first needed.
    ///   - busAddress: The address of the message bus; that of the user's session when not given.
    ///   - random: The source of first generations.
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
            patience: .seconds(5)
        )
    }

    /// Creates a store that waits for the bus and other holders of its lock for some time.
    init(
        server: String,
        app: String,
        folder: String,
        bus: SessionBus?,
        random: any RandomSource = SystemRandom(),
        patience: Duration
    ) {
        self.server = server
        self.app = app
        self.folder = folder
        self.bus = bus
        self.random = random
        self.patience = patience
        name = RecordName(server: server, app: app)
    }

    /// Reads the record, without waiting for writers.
    ///
    /// - Returns: Absent only when the keyring can tell; unavailable when it is locked, does not answer in time, or
    ///   holds a record that is damaged or newer.
    public func read() -> StoredRecord {
        let removals = removalCount.withLock { $0 }
        do throws(SessionStoreError) {
            let folder = try Folder(existing: folder)
            var isMarked = false
            if let folder {
                // Looked at first: whoever erases the record takes the tombstone away after it.
                if try folder.holds(name.keyringTombstoneName) {
                    try? bury(in: folder, patience: .zero)
                    return .absent
                }
                isMarked = try folder.holds(name.keyringMarkName)
            }
            let service = try service()
            let found = try record(in: service, isMarked: isMarked)
            if !isMarked, case .present = found { restoreMark(of: service, unlessRemovedSince: removals) }
            return found
        } catch {
            return .unavailable(error)
        }
    }

    /// Replaces the record, under the lock.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: `SessionStoreError`; its code is `locked` when the keyring is.
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
    /// - Throws: `SessionStoreError`; its code is `locked` when the keyring is.
    public func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        guard bytes.count <= 1 << 20 else {
            throw SessionStoreError(.failed, "The record has more than \(1 << 20) bytes.")
        }
        // No folder is made where nothing can be stored.
        guard bus != nil else { throw Self.hasNoBus }
        let folder = try Folder(making: folder)
        let lock = try wait(in: folder)
        defer { lock.release() }
        let service = try service()
        try buryLocked(service, in: folder)
        if isOnLadder, try folder.holds(name.fileName) {
            throw SessionStoreError(.conflict, "A record was put into a file meanwhile.")
        }
        let isMarked = try folder.holds(name.keyringMarkName)
        let (item, next) = try successor(of: generation, in: service, isMarked: isMarked)
        let text = KeyringRecord(generation: next, bytes: bytes).text
        let collection = item == nil ? try openCollection(of: service) : nil
        // From here on, a keyring that does not answer hides a record, perhaps.
        try folder.mark(name.keyringMarkName)
        // A removal that begins from here on finds the mark, and leaves a tombstone for this write too.
        guard isWanted() else {
            if !isMarked { try folder.unmark(name.keyringMarkName) }
            throw .unwanted
        }
        if let item { try service.setSecret(text, of: item) }
        if let collection { try create(text, in: collection, of: service) }
        folder.touch(name.keyringMarkName)
        return next
    }

    /// Removes the record, after a tombstone has said that it is dead.
    ///
    /// When the keyring is locked or silent, the tombstone stays, and the record is erased at the next occasion. A
    /// record that is written later is not touched.
    ///
    /// - Throws: `SessionStoreError` when the record might be read again.
    public func remove() throws(SessionStoreError) {
        let brief = min(patience, .seconds(2))
        if try !isInUse() {
            // Perhaps the folder was lost, perhaps there never was a record. Then nothing is made here.
            guard try hasItems(Deadline(after: brief)) else { return }
        }
        let folder = try Folder(making: folder)
        do throws(SessionStoreError) {
            try folder.mark(name.keyringTombstoneName)
        } catch {
            // No room for a tombstone, perhaps; but the record can be erased.
            try erase(service(within: brief))
            return try folder.unmark(name.keyringMarkName)
        }
        // The removal stands; there is no need to wait for long.
        try? bury(in: folder, patience: brief)
    }

    /// Leaves a tombstone if a record was stored; asks no bus and waits for no lock.
    ///
    /// - Throws: `SessionStoreError` when the record might be read again.
    public func beginRemoval() throws(SessionStoreError) {
        removalCount.withLock { $0 += 1 }
        guard try isInUse(), let folder = try Folder(existing: folder) else { return }
        try folder.mark(name.keyringTombstoneName)
    }

    /// Erases the record of a tombstone, and one whose mark was lost, if the lock can be had and the keyring is open.
    public func completeRemoval() {
        do throws(SessionStoreError) {
            if try !isInUse() {
                guard try hasItems(Deadline(after: min(patience, .seconds(2)))) else { return }
                return try eraseUnmarked()
            }
            guard let folder = try Folder(existing: folder) else { return }
            try bury(in: folder, patience: patience)
        } catch {
            // The tombstone stays, and the next operation tries again.
        }
    }

    /// Removes the record if it is of a generation, under the lock.
    ///
    /// - Parameter generation: The generation of the record that is to go.
    /// - Throws: `SessionStoreError`; its code is `conflict` when there is no such record, and `locked` when the
    ///   keyring is.
    public func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        guard let folder = try Folder(existing: folder) else { throw Self.hasMovedOn }
        let lock = try wait(in: folder)
        defer { lock.release() }
        let service = try service()
        try buryLocked(service, in: folder)
        let isMarked = try folder.holds(name.keyringMarkName)
        guard case .present(_, generation) = try record(in: service, isMarked: isMarked) else {
            throw Self.hasMovedOn
        }
        try erase(service)
        try folder.unmark(name.keyringMarkName)
    }

    /// Tells of changes that any process makes to the record through a store with the same folder.
    ///
    /// - Parameter onChange: Called after one change or several.
    /// - Returns: What ends the telling; `nil` for a path that is not absolute.
    public func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        FolderWatch.start(on: folder, names: name.watchedNames, onChange: onChange)
    }

    /// A lock on a file in the folder.
    public var refreshLock: (any RefreshLock)? {
        FileRefreshLock(folder: folder, name: name.refreshLockName)
    }

    /// A file in the folder.
    public var journal: (any SessionJournal)? {
        FileJournal(folder: folder, name: name.journalName)
    }

    /// The user's keyring.
    public var report: StorageReport { report(reason: "The app chose the keyring.") }

    private func wait(in folder: borrowing Folder) throws(SessionStoreError) -> FileLock {
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, patience: patience) else {
            throw SessionStoreError(.locked, "Another process holds the lock of the record.")
        }
        return lock
    }

    private func hasItems(_ deadline: Deadline) throws(SessionStoreError) -> Bool {
        let found = try service(deadline).search(attributes)
        return !found.unlocked.isEmpty || !found.locked.isEmpty
    }
}

// What the other files of the store work with.
extension SecretServiceStore {
    /// What items are found by; not by their format, for a newer one must be found too.
    var attributes: [String: String] {
        ["xdg:schema": "latchkey.session", "server": server, "app": app]
    }

    static let hasNoBus = SessionStoreError(.failed, "There is no session bus.")

    var label: String { "Login of \(app) at \(server)" }

    func service(within time: Duration? = nil) throws(SessionStoreError) -> SecretService {
        try service(Deadline(after: time ?? patience))
    }

    func service(_ deadline: Deadline) throws(SessionStoreError) -> SecretService {
        guard let bus else { throw Self.hasNoBus }
        return SecretService(try BusConnection(bus, deadline: deadline))
    }
}
