package import LatchkeyCore
import LatchkeyFileStore

// The store as one of several places where the record may be.
extension SecretServiceStore {
    /// The same store, which yields to a record in a file.
    package var onLadder: SecretServiceStore {
        var store = self
        store.isOnLadder = true
        return store
    }

    /// A report with another reason.
    package func report(reason: String) -> StorageReport {
        let isPending = (try? holds([name.keyringTombstoneName])) ?? false
        return StorageReport(rung: .secretService, reason: reason, isErasurePending: isPending)
    }

    /// Whether the record is here, or was until its removal; asks no bus.
    package func isInUse() throws(SessionStoreError) -> Bool {
        try holds([name.keyringMarkName, name.keyringTombstoneName])
    }

    private func holds(_ names: [String]) throws(SessionStoreError) -> Bool {
        guard let folder = try Folder(existing: folder) else { return false }
        return try folder.holdsAny(names)
    }

    /// Why nothing can be put into a keyring, not even after it is unlocked.
    package func absence() -> SessionStoreError? {
        do throws(SessionStoreError) {
            let service = try service(within: min(patience, .seconds(2)))
            return try service.defaultCollection() == nil ? Self.hasNoKeyring : nil
        } catch {
            return error
        }
    }
}
