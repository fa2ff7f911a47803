package import LatchkeyCore
import LatchkeyFileStore

// These members are used by `FallbackSessionStore`.
extension SecretServiceStore {
    /// A copy of this store that refuses to write the record if an encrypted file already contains it.
    package var asFallbackLevel: SecretServiceStore {
        var store = self
        store.isFallbackLevel = true
        return store
    }

    /// Returns a report that states why this store is used.
    package func report(reason: String) -> StorageReport {
        let isPending = (try? containsAny(of: [name.keyringTombstoneName])) ?? false
        return StorageReport(level: .keyring, reason: reason, isErasurePending: isPending)
    }

    /// Returns whether the files in the folder indicate that a record is stored or that its removal is
    /// pending.
    ///
    /// This method only looks at the files and doesn't use the bus.
    package func isInUse() throws(SessionStoreError) -> Bool {
        try containsAny(of: [name.keyringMarkName, name.keyringTombstoneName])
    }

    /// Returns whether a tombstone marks the record as removed.
    ///
    /// The keyring may still contain such a record, but it can no longer be read.
    package func isRemoved() throws(SessionStoreError) -> Bool {
        try containsAny(of: [name.keyringTombstoneName])
    }

    private func containsAny(of names: [String]) throws(SessionStoreError) -> Bool {
        guard let folder = try Folder(existing: folder) else { return false }
        return try folder.containsAny(of: names)
    }

    /// Returns why records cannot be stored in a keyring, or `nil` if they can.
    ///
    /// For a locked keyring, this method returns `nil` because the user can unlock it. This method waits at
    /// most 2 seconds for the bus.
    package func absence() -> SessionStoreError? {
        do throws(SessionStoreError) {
            let service = try service(within: min(timeout, .seconds(2)))
            return try service.defaultCollection() == nil ? Self.noKeyring : nil
        } catch {
            return error
        }
    }
}
