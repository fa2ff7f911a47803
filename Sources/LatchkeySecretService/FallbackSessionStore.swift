package import LatchkeyCore
package import LatchkeyFileStore
import LatchkeyModel

/// A session store at the safest available level: the keyring, otherwise an encrypted file.
///
/// A session stays at its level until it is removed. The flag file of the keyring and the record file show
/// every process where it is, whatever services respond at the moment. A session in the keyring is therefore
/// *unavailable* while no keyring responds, and never absent.
package struct FallbackSessionStore: SessionStore {
    private struct Step {
        var store: any SessionStore
        package var report: @Sendable () -> StorageReport
    }

    private let keyring: SecretServiceStore
    private let file: EncryptedFileStore
    private let preference = Locked<Preference?>(nil)

    /// Creates a store of two stores, which must use the same folder for their files.
    package init(keyring: SecretServiceStore, file: EncryptedFileStore) {
        self.keyring = keyring.asFallbackLevel
        self.file = file.asFallbackLevel
    }

    /// Reads the record from the store in use; `unavailable` also if the folder cannot be examined.
    package func read() -> StoredRecord {
        do throws(SessionStoreError) {
            return try step().store.read()
        } catch {
            return .unavailable(error)
        }
    }

    /// Reads a record in a file; `nil` for one in the keyring, which is another process and may be slow.
    package func readImmediately() -> StoredRecord? {
        do throws(SessionStoreError) {
            guard try !keyring.isInUse(), try file.isInUse() else { return nil }
        } catch {
            return nil
        }
        return file.readImmediately()
    }

    /// Replaces the record in the store in use; a new session is stored in the keyring if one is available.
    package func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try step().store.write(bytes, basedOn: generation)
    }

    /// Replaces the record in the store in use, unless the write is no longer wanted.
    package func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        try step().store.write(bytes, basedOn: generation, while: isWanted)
    }

    /// Removes the record from the file and, if it is in use or preferred, from the keyring, even if that
    /// fails.
    package func remove() throws(SessionStoreError) {
        // Both, because no record of this app may remain after a sign-out.
        var failure: SessionStoreError?
        do throws(SessionStoreError) {
            if try keyring.isInUse() || preferred() == .keyring { try keyring.remove() }
        } catch {
            failure = error
        }
        try file.remove()
        if let failure { throw failure }
    }

    /// Makes the removal final in both stores, even if one of them fails, without waiting for the bus or a
    /// lock.
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

    /// Erases what removals have left in the file and, if it is in use or preferred, in the keyring.
    package func completeRemoval() {
        if (try? keyring.isInUse()) == true || preferred() == .keyring { keyring.completeRemoval() }
        file.completeRemoval()
    }

    /// Removes the record of one generation from the store that is in use.
    package func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try step().store.remove(basedOn: generation)
    }

    /// Reports changes at both levels, as both have a file in the watched folder.
    package func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        // The files of both levels are in the same folder, and the names that are watched include those of
        // both.
        file.watch(onChange)
    }

    /// The lock file in the folder, which all processes use whatever the level of the session.
    package var refreshLock: (any RefreshLock)? { file.refreshLock }

    /// The journal in the folder, which is the same at both levels.
    package var journal: (any SessionJournal)? { file.journal }

    /// The level of the store in use and the reason why it was chosen; may wait for the session bus.
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

    /// Returns the store in use: the one that has the session, otherwise the preferred one.
    private func step() throws(SessionStoreError) -> Step {
        if try keyring.isInUse() { return inKeyring("The session of this app is stored in the keyring.") }
        if try file.isInUse() { return inFile("The session of this app is already stored in a file.") }
        switch preferred() {
        case .keyring: return inKeyring("A Secret Service is available on the session bus.")
        case .file(let reason): return inFile("No Secret Service is available: \(reason)")
        }
    }

    private func inKeyring(_ reason: String) -> Step {
        Step(store: keyring) { [keyring] in keyring.report(reason: reason) }
    }

    private func inFile(_ reason: String) -> Step {
        Step(store: file) { [file] in file.report(reason: reason) }
    }

    /// Returns the store of a new session; determined once, so that it stays the same for the life of the
    /// process.
    private func preferred() -> Preference {
        if let preference = preference.withLock({ $0 }) { return preference }
        // Not under the lock, because the bus may take seconds. Of two concurrent results, the first one
        // counts.
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
