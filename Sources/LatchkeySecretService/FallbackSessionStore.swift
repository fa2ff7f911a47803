package import LatchkeyCore
package import LatchkeyFileStore
import LatchkeyModel

/// A session store that uses the keyring if one is available, and an encrypted file otherwise.
///
/// A session isn't moved from one store to the other. Every process can tell from the keyring's
/// flag file and the record file which store contains the session, even if a service does not respond. If the
/// session is in the keyring and the keyring does not respond, the session is reported as *unavailable*,
/// never as absent. After the user has signed out, a keyring that no longer exists doesn't prevent a login:
/// the new session is stored in a file, and the tombstone remains until the keyring's record can be erased.
package struct FallbackSessionStore: SessionStore {
    private struct Step {
        var store: any SessionStore
        var isKeyring: Bool
        package var report: @Sendable () -> StorageReport
    }

    private let keyring: SecretServiceStore
    private let file: EncryptedFileStore
    private let preference = Locked<Preference?>(nil)

    /// Creates a store that combines two stores.
    ///
    /// Both stores must use the same folder for their files.
    package init(keyring: SecretServiceStore, file: EncryptedFileStore) {
        self.keyring = keyring.asFallbackLevel
        self.file = file.asFallbackLevel
    }

    /// Reads the record from the store that is in use.
    ///
    /// If the folder cannot be read, the record is `unavailable`.
    package func read() -> StoredRecord {
        do throws(SessionStoreError) {
            let step = try step()
            // Reading the keyring erases a removed record, as soon as there is a keyring again.
            if !step.isKeyring, try keyring.isRemoved() { _ = keyring.read() }
            return step.store.read()
        } catch {
            return .unavailable(error)
        }
    }

    /// Reads the record if it is stored in a file.
    ///
    /// The result is `nil` for a record in the keyring because the keyring runs in another process and may be
    /// slow.
    package func readImmediately() -> StoredRecord? {
        do throws(SessionStoreError) {
            if try keyring.isInUse(), try !keyring.isRemoved() { return nil }
            guard try file.isInUse() else { return nil }
        } catch {
            return nil
        }
        return file.readImmediately()
    }

    /// Replaces the record in the store that is in use.
    ///
    /// A new session is stored in the keyring if one is available.
    package func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try write(bytes, basedOn: generation, while: { true })
    }

    /// Replaces the record in the store that is in use, unless `isWanted` returns `false`.
    package func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        try file.repairFolder()
        let step = try step()
        // The stores never create a record while the other one has one. A file beside a record in the keyring
        // was restored from a backup, for example, and would block every login.
        if step.isKeyring, try keyring.isInUse(), try !keyring.isRemoved(), try file.isInUse() {
            try file.removeBesideKeyring()
        }
        return try step.store.write(bytes, basedOn: generation, while: isWanted)
    }

    /// Removes the record from the file and the keyring.
    ///
    /// The keyring is only accessed if it is in use or preferred. If one removal fails, the other one is
    /// still attempted.
    package func remove() throws(SessionStoreError) {
        try file.repairFolder()
        // We remove the record from both stores because no record of this app may remain after a sign-out.
        var failure: SessionStoreError?
        do throws(SessionStoreError) {
            if try keyring.isInUse() || preferred() == .keyring { try keyring.remove() }
        } catch {
            failure = error
        }
        try file.remove()
        if let failure { throw failure }
    }

    /// Makes the removal take effect in both stores, even if one of them fails.
    ///
    /// This method does not wait for the bus or a lock.
    package func beginRemoval() throws(SessionStoreError) {
        var failure: SessionStoreError?
        do throws(SessionStoreError) {
            try keyring.beginRemoval()
        } catch {
            failure = error
        }
        try file.beginRemoval()
        if let failure { throw failure }
    }

    /// Erases any remaining data of removed records from the file and the keyring.
    ///
    /// The keyring is only accessed if it is in use or preferred.
    package func completeRemoval() {
        if (try? keyring.isInUse()) == true || preferred() == .keyring { keyring.completeRemoval() }
        file.completeRemoval()
    }

    /// Removes the record from the store that is in use if it has the given generation.
    package func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        let step = try step()
        if step.isKeyring { try file.removeBesideKeyring() }
        try step.store.remove(basedOn: generation)
    }

    /// Removes the record from the store that is in use if it is damaged.
    package func removeUnreadable() throws(SessionStoreError) {
        try file.repairFolder()
        let step = try step()
        // Otherwise, a file that was restored from a backup would be read instead.
        if step.isKeyring { try file.removeBesideKeyring() }
        try step.store.removeUnreadable()
    }

    /// Reports changes in both stores, because both have files in the watched folder.
    package func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        // Both stores keep their files in the same folder, and the file store also watches the names of the
        // keyring store's files.
        file.watch(onChange)
    }

    /// The lock file in the folder.
    ///
    /// All processes use this file, regardless of which store contains the session.
    package var refreshLock: (any RefreshLock)? { file.refreshLock }

    /// The journal in the folder, which both stores share.
    package var journal: (any SessionJournal)? { file.journal }

    /// Returns a store for data other than the session, which uses either the keyring or a file.
    package func sideStore(for scope: SideRecordScope) -> (any SessionStore)? {
        FallbackSessionStore(keyring: keyring.side(scope), file: file.side(scope))
    }

    /// The store that is in use, and the reason why it was selected.
    ///
    /// Reading this property may wait for the session bus.
    package var report: StorageReport {
        do throws(SessionStoreError) {
            return try step().report()
        } catch {
            return StorageReport(
                level: .other,
                reason: "The location of the session cannot be determined: \(error.message)"
            )
        }
    }

    /// Returns the store that contains the session.
    ///
    /// If no session is stored, the preferred store is returned.
    private func step() throws(SessionStoreError) -> Step {
        if try keyring.isInUse(), try !keyring.isRemoved() {
            return inKeyring("This app's session is stored in the keyring.")
        }
        if try file.isInUse() { return inFile("This app's session is already stored in a file.") }
        switch preferred() {
        case .keyring: return inKeyring("A Secret Service is available on the session bus.")
        case .file(let reason): return inFile("No Secret Service is available: \(reason)")
        }
    }

    private func inKeyring(_ reason: String) -> Step {
        Step(store: keyring, isKeyring: true) { [keyring] in keyring.report(reason: reason) }
    }

    private func inFile(_ reason: String) -> Step {
        Step(store: file, isKeyring: false) { [file] in file.report(reason: reason) }
    }

    /// Returns the store that new sessions are written to.
    ///
    /// The store is chosen once and doesn't change while the process is running.
    private func preferred() -> Preference {
        if let preference = preference.withLock({ $0 }) { return preference }
        // We do not hold the lock here because the bus may take seconds to respond. If two callers choose a
        // store concurrently, the first result is used.
        let answer = keyring.absence().map { Preference.file($0.message) } ?? .keyring
        return preference.withLock { preference in
            preference = preference ?? answer
            return preference ?? answer
        }
    }
}

private enum Preference: Sendable, Equatable {
    case keyring
    case file(String)
}
