import LatchkeyCore
import LatchkeyFileStore
import LatchkeyModel

extension SecretServiceStore {
    /// The record in the keyring; `isMarked` tells whether one was put there and not removed.
    func record(in service: SecretService, isMarked: Bool) throws(SessionStoreError) -> StoredRecord {
        guard let found = try newest(in: service, isMarked: isMarked) else { return .absent }
        return .present(found.record.bytes, generation: found.record.generation)
    }

    /// The item that a change of a generation goes to, and the generation after it.
    func successor(
        of generation: UInt64,
        in service: SecretService,
        isMarked: Bool
    ) throws(SessionStoreError) -> (item: String?, generation: UInt64) {
        let found = try newest(in: service, isMarked: isMarked)
        guard generation == found?.record.generation ?? 0 else {
            throw Self.hasMovedOn
        }
        if let found { return (found.item, generation &+ 1) }
        // A random start: a change that is based on a removed record never fits the next one.
        return (nil, random.bytes(7).reduce(0) { $0 << 8 | UInt64($1) } + 1)
    }

    /// The collection that the user has for new items.
    func openCollection(of service: SecretService) throws(SessionStoreError) -> String {
        guard let collection = try service.defaultCollection() else { throw Self.hasNoKeyring }
        if try service.isLocked(collection: collection) { throw Self.isLocked }
        return collection
    }

    /// Creates the item.
    func create(
        _ text: [UInt8],
        in collection: String,
        of service: SecretService
    ) throws(SessionStoreError) {
        var attributes = attributes
        attributes["format"] = "\(KeyringRecord.version)"
        try service.create(in: collection, label: label, attributes: attributes, secret: text)
    }

    /// Erases all items of the record.
    func erase(_ service: SecretService) throws(SessionStoreError) {
        let found = try service.search(attributes)
        for item in found.unlocked { try service.delete(item) }
        guard found.locked.isEmpty else { throw Self.isLocked }
        if try mayHideItems(service) { throw Self.isLocked }
    }

    /// Erases a record without a mark; one that is written later has a mark.
    func eraseUnmarked() throws(SessionStoreError) {
        let folder = try Folder(making: folder)
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, patience: patience) else { return }
        defer { lock.release() }
        guard try !folder.holds(name.keyringMarkName) else { return }
        try erase(service(within: min(patience, .seconds(2))))
    }

    /// Marks a record that was found without a mark, because the folder was lost.
    ///
    /// A removal that asks no bus finds it by the mark. The record is looked up once more under the lock: it can have been
    /// removed meanwhile. After a removal that found no mark there must be none.
    ///
    /// - Parameters:
    ///   - service: The keyring.
    ///   - removals: The number of removals before the record was read.
    func restoreMark(of service: SecretService, unlessRemovedSince removals: Int) {
        guard let folder = try? Folder(making: folder) else { return }
        guard let lock = try? FileLock.wait(for: name.lockName, in: folder, patience: .zero) else { return }
        defer { lock.release() }
        guard case .present? = try? record(in: service, isMarked: false) else { return }
        try? folder.mark(name.keyringMarkName)
        if removalCount.withLock({ $0 }) != removals { try? folder.unmark(name.keyringMarkName) }
    }

    /// Erases the record of a tombstone, if the lock can be had and the keyring is open.
    func bury(in folder: borrowing Folder, patience: Duration) throws(SessionStoreError) {
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, patience: patience) else { return }
        defer { lock.release() }
        guard try folder.holds(name.keyringTombstoneName) else { return }
        try buryLocked(service(within: min(self.patience, .seconds(2))), in: folder)
    }

    /// Erases the record of a tombstone; nothing happens when a later login has done that.
    func buryLocked(_ service: SecretService, in folder: borrowing Folder) throws(SessionStoreError) {
        guard try folder.holds(name.keyringTombstoneName) else { return }
        try erase(service)
        try folder.unmark(name.keyringMarkName)
        try folder.unmark(name.keyringTombstoneName)
    }

    /// The item with the record; the newest, should somebody have copied it to another collection.
    private func newest(
        in service: SecretService,
        isMarked: Bool
    ) throws(SessionStoreError) -> (item: String, record: KeyringRecord)? {
        for _ in 0..<3 {
            let found = try service.search(attributes)
            guard !found.unlocked.isEmpty else {
                guard found.locked.isEmpty else { throw Self.isLocked }
                if isMarked, try mayHideItems(service) { throw Self.isLocked }
                return nil
            }
            var newest: (item: String, record: KeyringRecord)?
            for (item, secret) in try service.secrets(of: found.unlocked) {
                let record = try KeyringRecord(text: secret)
                if record.generation > newest?.record.generation ?? 0 { newest = (item, record) }
            }
            // An item without a secret was removed in this moment, or locked: the next search tells which.
            if let newest { return newest }
        }
        throw SessionStoreError(.failed, "The keyring has the record and does not give it.")
    }

    /// Whether the user's collection is closed or gone: some services find nothing in a locked one.
    private func mayHideItems(_ service: SecretService) throws(SessionStoreError) -> Bool {
        guard let collection = try service.defaultCollection() else { return true }
        return try service.isLocked(collection: collection)
    }

    /// Nothing here makes a keyring: its user would have to be asked for a password.
    static let hasNoKeyring = SessionStoreError(
        .locked,
        "The user has no keyring; a desktop makes one at the first login."
    )

    static let hasMovedOn = SessionStoreError(.conflict, "The record has moved on.")

    private static let isLocked = SessionStoreError(
        .locked,
        "The keyring is locked; unlock it and try again."
    )
}
