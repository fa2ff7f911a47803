package import LatchkeyCore
import LatchkeyFileStore

// The members that a `FallbackSessionStore` uses.
extension SecretServiceStore {
    /// A copy of the store whose writes fail with `conflict` while a file holds the record.
    package var asFallbackLevel: SecretServiceStore {
        var store = self
        store.isFallbackLevel = true
        return store
    }

    /// Returns a report with the given reason for using this store.
    package func report(reason: String) -> StorageReport {
        let isPending = (try? containsAny(of: [name.keyringTombstoneName])) ?? false
        return StorageReport(level: .secretService, reason: reason, isErasurePending: isPending)
    }

    /// Returns whether, according to the folder, a record was stored or its removal is pending.
    ///
    /// The bus is not queried.
    package func isInUse() throws(SessionStoreError) -> Bool {
        try containsAny(of: [name.keyringMarkName, name.keyringTombstoneName])
    }

    private func containsAny(of names: [String]) throws(SessionStoreError) -> Bool {
        guard let folder = try Folder(existing: folder) else { return false }
        return try folder.containsAny(of: names)
    }

    /// Returns the reason why no record can be stored in a keyring, or `nil` if a record can be stored.
    ///
    /// A locked keyring is not a reason, because the user can unlock it. The method waits at most 2 seconds
    /// for the bus.
    package func absence() -> SessionStoreError? {
        do throws(SessionStoreError) {
            let service = try service(within: min(timeout, .seconds(2)))
            return try service.defaultCollection() == nil ? Self.noKeyring : nil
        } catch {
            return error
        }
    }
}
