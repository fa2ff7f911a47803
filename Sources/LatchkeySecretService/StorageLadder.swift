package import LatchkeyCore
package import LatchkeyFileStore
import LatchkeyModel

/// Keeps the session on the safest rung that there is: in the keyring, else in an encrypted file.
///
/// A session stays where it is until it is removed, and wherever it is, processes look for it there: the mark of the
/// keyring and the record file say so, whatever services answer at the moment. So a session in the keyring is
/// *unavailable* while no keyring answers, and never absent.
package struct StorageLadder: SessionStore {
    private struct Step {
        var store: any SessionStore
        package var report: @Sendable () -> StorageReport
    }

    private let keyring: SecretServiceStore
    private let file: EncryptedFileStore
    private let preference = Locked<Preference?>(nil)

    package init(keyring: SecretServiceStore, file: EncryptedFileStore) {
        self.keyring = keyring.onLadder
        self.file = file.onLadder
    }

    package func read() -> StoredRecord {
        do throws(SessionStoreError) {
            return try step().store.read()
        } catch {
            return .unavailable(error)
        }
    }

    /// Reads a record in a file; the keyring is another process, which may be slow.
    package func readImmediately() -> StoredRecord? {
        do throws(SessionStoreError) {
            guard try !keyring.isInUse(), try file.isInUse() else { return nil }
        } catch {
            return nil
        }
        return file.readImmediately()
    }

    package func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try step().store.write(bytes, basedOn: generation)
    }

    package func write(
        _ bytes: [UInt8],
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        try step().store.write(bytes, basedOn: generation, while: isWanted)
    }

    package func remove() throws(SessionStoreError) {
        // Both, whatever the other says: a sign-out leaves nothing of this app anywhere.
        var failure: SessionStoreError?
        do throws(SessionStoreError) {
            if try keyring.isInUse() || preferred() == .keyring { try keyring.remove() }
        } catch {
            failure = error
        }
        try file.remove()
        if let failure { throw failure }
    }

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

    package func completeRemoval() {
        if (try? keyring.isInUse()) == true || preferred() == .keyring { keyring.completeRemoval() }
        file.completeRemoval()
    }

    package func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try step().store.remove(basedOn: generation)
    }

    package func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        // One folder has the files of both rungs.
        file.watch(onChange)
    }

    package var refreshLock: (any RefreshLock)? { file.refreshLock }

    package var journal: (any SessionJournal)? { file.journal }

    package var report: StorageReport {
        do throws(SessionStoreError) {
            return try step().report()
        } catch {
            return StorageReport(
                rung: .other,
                reason: "It cannot be told where the session is: \(error.message)"
            )
        }
    }

    private func step() throws(SessionStoreError) -> Step {
        if try keyring.isInUse() { return inKeyring("The session of this app is in the keyring.") }
        if try file.isInUse() { return inFile("The session of this app is in a file already.") }
        switch preferred() {
        case .keyring: return inKeyring("A Secret Service answers on the session bus.")
        case .file(let reason): return inFile("No Secret Service answers: \(reason)")
        }
    }

    private func inKeyring(_ reason: String) -> Step {
        Step(store: keyring) { [keyring] in keyring.report(reason: reason) }
    }

    private func inFile(_ reason: String) -> Step {
        Step(store: file) { [file] in file.report(reason: reason) }
    }

    /// Where a new session goes; asked once, so that it does not change under a process.
    private func preferred() -> Preference {
        if let preference = preference.withLock({ $0 }) { return preference }
        // Not under the lock, for the bus may take seconds. Of two answers at once, the first counts.
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
