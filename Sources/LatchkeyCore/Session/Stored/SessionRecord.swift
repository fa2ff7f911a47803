import LatchkeyModel

/// The session's record in the store, with operations that require several calls to the store.
///
/// A keeper performs these operations on its queue, one at a time, except for ``beginRemoval()``.
final class SessionRecord: Sendable {
    enum Reading {
        case present(StoredSession, generation: UInt64)
        case absent
        case unavailable(SessionStoreError)

        fileprivate init(_ record: StoredRecord) {
            switch record {
            case .present(let bytes, let generation):
                switch StoredSession.reading(bytes) {
                case .present(let stored): self = .present(stored, generation: generation)
                case .unavailable(let error): self = .unavailable(error)
                }
            case .absent: self = .absent
            case .unavailable(let error): self = .unavailable(error)
            }
        }
    }

    /// The maximum number of attempts to perform an operation while other processes are also changing the
    /// record.
    private static let attempts = 5

    private let store: any SessionStore

    /// The record of a login that is only stored in the memory of this process.
    ///
    /// If this is set, this process ignores the record in the store.
    private let processRecord = Locked<MemoryStore?>(nil)

    /// The stores for values other than the session itself, by scope.
    private let sideStores: [SideRecordScope: any SessionStore]

    /// Whether side records that should have been removed at a sign-out are still stored.
    ///
    /// As long as this is `true`, we must not read them.
    private let isSideRemovalDue = Locked(false)

    init(store: any SessionStore) {
        self.store = store
        sideStores = Dictionary(
            uniqueKeysWithValues: SideRecordScope.allCases.map { scope in
                (scope, store.sideStore(for: scope) ?? MemoryStore())
            }
        )
    }

    /// Returns the store for the side records of a scope.
    ///
    /// If the login is only stored in the memory of this process, so are its side records.
    ///
    /// - Throws: ``SessionStoreError`` if side records from before a sign-out can't be removed.
    func sideStore(for scope: SideRecordScope) throws(SessionStoreError) -> any SessionStore {
        if scope == .login {
            if let memory = processRecord.withLock({ $0 }) { return memory.sideStore(for: scope) ?? memory }
            try completeSideRemoval()
        }
        return sideStores[scope] ?? MemoryStore()
    }

    /// Removes the side records if an earlier removal has failed.
    private func completeSideRemoval() throws(SessionStoreError) {
        guard isSideRemovalDue.withLock({ $0 }) else { return }
        try sideStores[.login]?.remove()
        isSideRemovalDue.withLock { $0 = false }
    }

    /// The store that contains the record for this process.
    private var current: any SessionStore { processRecord.withLock { $0 } ?? store }

    /// A report about how the record is stored.
    ///
    /// Accessing this property may make system calls.
    var report: StorageReport {
        guard processRecord.withLock({ $0 }) != nil else { return store.report }
        return StorageReport(level: .memory, reason: "The login is limited to this process.")
    }

    /// Reads the record.
    ///
    /// May block.
    func read() -> Reading {
        Reading(current.read())
    }

    /// Reads the record, or returns `nil` if the store can't do this without blocking.
    func readImmediately() -> Reading? {
        current.readImmediately().map { Reading($0) }
    }

    /// Writes a modified session if the record has the given generation.
    ///
    /// - Parameters:
    ///   - stored: The session.
    ///   - generation: The generation that the record is expected to have.
    ///   - isWanted: A closure that returns whether the session should still be written.
    /// - Returns: The new generation.
    /// - Throws: ``SessionStoreError``. The code is `conflict` if the record has a different generation or
    ///   the session should no longer be written.
    func save(
        _ stored: StoredSession,
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        try current.write(stored.encoded(), basedOn: generation, while: isWanted)
    }

    /// Replaces any record with a new login.
    ///
    /// A damaged record is replaced, but not one that is locked or was written by a newer version.
    ///
    /// - Parameters:
    ///   - stored: The login.
    ///   - guess: The expected generation of the record. If the guess is wrong, another attempt is needed.
    ///   - persistence: Where to write the login. For `process`, the record in the store is removed first.
    ///   - isWanted: A closure that returns whether the login should still be written.
    /// - Returns: The new generation.
    /// - Throws: ``SessionStoreError`` if the login could not be written.
    func replace(
        _ stored: StoredSession,
        guess: UInt64,
        persistence: Persistence,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        let bytes = try stored.encoded()
        switch persistence {
        case .device:
            try completeSideRemoval()
            let generation = try replaceInStore(bytes, guess: guess, while: isWanted)
            processRecord.withLock { $0 = nil }
            return generation
        case .memory:
            try removeForReplacement(while: isWanted)
            try sideStores[.login]?.remove()
            let memory = MemoryStore()
            let generation = try memory.write(bytes, basedOn: 0)
            // If a sign-out begins after this check, it also removes this record.
            let isReplaced = processRecord.withLock { record in
                guard isWanted() else { return false }
                record = memory
                return true
            }
            guard isReplaced else { throw .unwanted }
            return generation
        }
    }

    private func replaceInStore(
        _ bytes: [UInt8],
        guess: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        var (generation, attempt) = (guess, 1)
        while true {
            do throws(SessionStoreError) {
                return try store.write(bytes, basedOn: generation, while: isWanted)
            } catch {
                let mayPass = error.code == .conflict || error.code == .unreadable
                guard mayPass, isWanted(), attempt < Self.attempts else { throw error }
                generation = try generationToReplace()
                attempt += 1
            }
        }
    }

    /// Removes the record from the store, because the new login is only kept in memory.
    ///
    /// A record that is locked or was written by a newer version isn't removed.
    private func removeForReplacement(while isWanted: () -> Bool) throws(SessionStoreError) {
        var attempt = 1
        while true {
            do throws(SessionStoreError) {
                guard isWanted() else { throw .unwanted }
                let generation = try generationToReplace()
                if generation != 0 { try store.remove(basedOn: generation) }
                return
            } catch {
                guard error.code == .conflict, isWanted(), attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Removes any record, along with the side records that don't outlive a sign-out, so that later reads
    /// don't return them.
    func remove() throws(SessionStoreError) {
        processRecord.withLock { $0 = nil }
        isSideRemovalDue.withLock { $0 = true }
        var failure: SessionStoreError?
        do throws(SessionStoreError) {
            try completeSideRemoval()
        } catch {
            failure = error
        }
        try store.remove()
        if let failure { throw failure }
    }

    /// Removes the record of any login, along with the side records that a sign-out removes.
    ///
    /// The removal is final, but this method doesn't wait for slow work, which is left to
    /// ``completeRemoval()``.
    ///
    /// The side records are removed before the session's record. If the process is terminated in between, the
    /// user is still logged in.
    func beginRemoval() throws(SessionStoreError) {
        processRecord.withLock { $0 = nil }
        var failure: SessionStoreError?
        do throws(SessionStoreError) {
            try sideStores[.login]?.beginRemoval()
        } catch {
            isSideRemovalDue.withLock { $0 = true }
            failure = error
        }
        try store.beginRemoval()
        if let failure { throw failure }
    }

    /// Erases any data that ``beginRemoval()`` has left behind.
    func completeRemoval() {
        sideStores[.login]?.completeRemoval()
        store.completeRemoval()
    }

    /// Removes the record if its session matches a condition.
    ///
    /// - Parameter isDoomed: A closure that returns whether a session should be removed. Other records aren't
    ///   removed.
    /// - Throws: ``SessionStoreError`` if the record could not be read or removed.
    func remove(where isDoomed: (StoredSession) -> Bool) throws(SessionStoreError) {
        if let memory = processRecord.withLock({ $0 }) {
            guard case .present(let stored, _) = Reading(memory.read()), isDoomed(stored) else { return }
            return processRecord.withLock { if $0 === memory { $0 = nil } }
        }
        try completeSideRemoval()
        for attempt in 1...Self.attempts {
            switch read() {
            case .absent: return
            case .unavailable(let error): throw error
            case .present(let stored, let generation):
                guard isDoomed(stored) else { return }
                do throws(SessionStoreError) {
                    return try store.remove(basedOn: generation)
                } catch {
                    guard error.code == .conflict, attempt < Self.attempts else { throw error }
                }
            }
        }
    }

    /// Returns the generation for the next attempt to replace the record.
    ///
    /// If the record is damaged, it is removed first.
    private func generationToReplace() throws(SessionStoreError) -> UInt64 {
        switch store.read() {
        case .present(_, let generation):
            return generation
        case .absent:
            return 0
        case .unavailable(let error):
            // A damaged record is useless, but a record that is locked or was written by a newer version may
            // contain a valid session.
            guard error.code == .unreadable else { throw error }
            try store.removeUnreadable()
            // A store may repair a record instead of removing it.
            return if case .present(_, let generation) = store.read() { generation } else { 0 }
        }
    }
}
