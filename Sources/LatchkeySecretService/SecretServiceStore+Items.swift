import LatchkeyCore
import LatchkeyFileStore
import LatchkeyModel

extension SecretServiceStore {
    /// Reads the record from the keyring.
    ///
    /// - Parameters:
    ///   - service: The keyring to read from.
    ///   - isMarked: Whether the flag file indicates that a record was stored and not removed. If `true`,
    ///     this method doesn't return `absent` when the keyring may hide items, but throws an error.
    /// - Returns: The record, or `absent` if there is none.
    /// - Throws: `SessionStoreError` with the code `locked` if the record is or may be in a locked
    ///   collection.
    func record(in service: SecretService, isMarked: Bool) throws(SessionStoreError) -> StoredRecord {
        guard let found = try newest(in: service, isMarked: isMarked) else { return .absent }
        return .present(found.record.bytes, generation: found.record.generation)
    }

    /// Returns the item to replace and the generation of its replacement.
    ///
    /// If there is no item yet, the result contains `nil` in place of the item.
    ///
    /// - Parameters:
    ///   - generation: The generation that the change is based on, or 0 if there was no record.
    ///   - service: The keyring to search.
    ///   - isMarked: Whether the flag file indicates that a record was stored and not removed.
    /// - Returns: The object path of the item and the generation of the new record.
    /// - Throws: `SessionStoreError` with the code `conflict` if the stored record has another generation.
    func successor(
        of generation: UInt64,
        in service: SecretService,
        isMarked: Bool
    ) throws(SessionStoreError) -> (item: String?, generation: UInt64) {
        let found = try newest(in: service, isMarked: isMarked)
        guard generation == found?.record.generation ?? 0 else {
            throw Self.generationConflict
        }
        if let found { return (found.item, generation &+ 1) }
        // The first generation is random, so a change that is based on a removed record never matches a later
        // record.
        return (nil, random.bytes(7).reduce(0) { $0 << 8 | UInt64($1) } + 1)
    }

    /// Returns the default collection for new items.
    ///
    /// - Throws: `SessionStoreError` with the code `locked` if the collection is locked or the user has no
    ///   default collection.
    func openCollection(of service: SecretService) throws(SessionStoreError) -> String {
        guard let collection = try service.defaultCollection() else { throw Self.noKeyring }
        if try service.isLocked(collection: collection) { throw Self.isLocked }
        return collection
    }

    /// Creates the record's item in a collection.
    func create(
        _ text: [UInt8],
        in collection: String,
        of service: SecretService
    ) throws(SessionStoreError) {
        var attributes = attributes
        attributes["format"] = "\(KeyringRecord.version)"
        try service.create(in: collection, label: label, attributes: attributes, secret: text)
    }

    /// Deletes all items that belong to the record.
    ///
    /// - Throws: `SessionStoreError` with the code `locked` if items are locked or a locked collection may
    ///   hide them.
    func erase(_ service: SecretService) throws(SessionStoreError) {
        let found = try service.search(attributes)
        for item in found.unlocked { try service.delete(item) }
        guard found.locked.isEmpty else { throw Self.isLocked }
        if try mayHideItems(service) { throw Self.isLocked }
    }

    /// Deletes the record if it doesn't have a flag file.
    ///
    /// A record that was stored in the meantime has a flag file and is not deleted.
    func eraseUnmarked() throws(SessionStoreError) {
        let folder = try Folder(creating: folder)
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout) else { return }
        defer { lock.release() }
        guard try !folder.contains(name.keyringMarkName) else { return }
        try erase(service(within: min(timeout, .seconds(2))))
    }

    /// Restores the record's flag file if the file was deleted together with the folder.
    ///
    /// ``SecretServiceStore/beginRemoval()`` doesn't query the bus and depends on the flag file. The record
    /// is read again while holding the lock because it may have been removed in the meantime. A removal
    /// that has started since `removals` was read may not have seen the flag file, so we delete the file
    /// again in that case.
    ///
    /// - Parameters:
    ///   - service: The keyring to read from.
    ///   - removals: The value of `removalCount` before the record was read.
    func restoreMark(of service: SecretService, unlessRemovedSince removals: Int) {
        guard let folder = try? Folder(creating: folder) else { return }
        guard let lock = try? FileLock.wait(for: name.lockName, in: folder, timeout: .zero) else { return }
        defer { lock.release() }
        guard case .present? = try? record(in: service, isMarked: false) else { return }
        try? folder.mark(name.keyringMarkName)
        if removalCount.withLock({ $0 }) != removals { try? folder.unmark(name.keyringMarkName) }
    }

    /// Erases a record that has a tombstone, if the lock can be acquired within `timeout` and the keyring is
    /// unlocked.
    func eraseRemoved(in folder: borrowing Folder, timeout: Duration) throws(SessionStoreError) {
        guard let lock = try FileLock.wait(for: name.lockName, in: folder, timeout: timeout) else { return }
        defer { lock.release() }
        guard try folder.contains(name.keyringTombstoneName) else { return }
        try eraseRemovedLocked(service(within: min(self.timeout, .seconds(2))), in: folder)
    }

    /// Erases a record that has a tombstone, unless a later login has already done so.
    ///
    /// The caller must hold the lock.
    func eraseRemovedLocked(_ service: SecretService, in folder: borrowing Folder) throws(SessionStoreError) {
        guard try folder.contains(name.keyringTombstoneName) else { return }
        try erase(service)
        try folder.unmark(name.keyringMarkName)
        try folder.unmark(name.keyringTombstoneName)
    }

    /// Returns the item that contains the record.
    ///
    /// If several collections contain a copy, the one with the highest generation is returned. If that one is
    /// damaged, the record counts as damaged, because an older copy may contain a login that has ended. An item
    /// that isn't a record only counts if there is no other one.
    ///
    /// A copy in a locked collection doesn't count if there is another one. Otherwise, a keyring that can't be
    /// unlocked any more would lock the user out for good.
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
            var damage: (generation: UInt64, error: SessionStoreError)?
            for (item, secret) in try service.secrets(of: found.unlocked) {
                do throws(SessionStoreError) {
                    let record = try KeyringRecord(text: secret)
                    if record.generation > newest?.record.generation ?? 0 { newest = (item, record) }
                } catch {
                    guard error.code == .unreadable else { throw error }
                    let generation = KeyringRecord.generation(of: secret) ?? 0
                    if generation >= damage?.generation ?? 0 { damage = (generation, error) }
                }
            }
            // If an item has no secret, it has just been removed or locked. The next search will show whether
            // the item still exists.
            if let newest, newest.record.generation >= damage?.generation ?? 0 { return newest }
            if let damage { throw damage.error }
        }
        throw SessionStoreError(.failed, message: "The keyring contains the record but does not return it.")
    }

    /// Returns whether the default collection is locked or missing.
    ///
    /// Some services do not return items from a locked collection.
    private func mayHideItems(_ service: SecretService) throws(SessionStoreError) -> Bool {
        guard let collection = try service.defaultCollection() else { return true }
        return try service.isLocked(collection: collection)
    }

    /// The error thrown if the user has no keyring.
    ///
    /// The store does not create a keyring because that would prompt the user for a password.
    static let noKeyring = SessionStoreError(
        .locked,
        message: "The user has no keyring. A desktop environment creates one on first login."
    )

    static let generationConflict = SessionStoreError(
        .conflict,
        message: "The record was changed in the meantime."
    )

    private static let isLocked = SessionStoreError(
        .locked,
        message: "The keyring is locked. Unlock it and try again."
    )
}
