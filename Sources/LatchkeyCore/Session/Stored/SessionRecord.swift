import LatchkeyModel

/// The session's record in the store, with operations that require several calls to the store.
///
/// A keeper performs them on its queue, one at a time, except for ``beginRemoval()``.
final class SessionRecord: Sendable {
    /// The result of reading the record.
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

    /// The number of times that an operation is attempted if other processes change the record in between.
    private static let attempts = 5

    private let store: any SessionStore

    /// The record of a login that only this process stores; while there is one, the record in the store has
    /// no effect on this process.
    private let processRecord = Locked<MemoryStore?>(nil)

    /// The stores of the side records.
    private let sideStores: [SideRecordScope: any SessionStore]

    /// Whether the side records of a sign-out could not be removed, so that they must not be read.
    private let isSideRemovalDue = Locked(false)

    init(store: any SessionStore) {
        self.store = store
        sideStores = Dictionary(
            uniqueKeysWithValues: SideRecordScope.allCases.map { scope in
                (scope, store.sideStore(for: scope) ?? MemoryStore())
            }
        )
    }

    /// Returns the store of the side records of a scope.
    ///
    /// If only this process stores the login, its side records are in memory as well.
    ///
    /// - Throws: ``SessionStoreError`` if side records from before a sign-out cannot be removed.
    func sideStore(for scope: SideRecordScope) throws(SessionStoreError) -> any SessionStore {
        if scope == .login {
            if let memory = processRecord.withLock({ $0 }) { return memory.sideStore(for: scope) ?? memory }
            try completeSideRemoval()
        }
        return sideStores[scope] ?? MemoryStore()
    }

    /// Repeats a removal of side records that failed.
    private func completeSideRemoval() throws(SessionStoreError) {
        guard isSideRemovalDue.withLock({ $0 }) else { return }
        try sideStores[.login]?.remove()
        isSideRemovalDue.withLock { $0 = false }
    }

    /// The store of the record that this process uses.
    private var current: any SessionStore { processRecord.withLock { $0 } ?? store }

    /// A report on the storage of the record; may require calls to the operating system.
    var report: StorageReport {
        guard processRecord.withLock({ $0 }) != nil else { return store.report }
        return StorageReport(level: .memory, reason: "The login is limited to this process.")
    }

    /// Reads the record; may block.
    func read() -> Reading {
        Reading(current.read())
    }

    /// Reads the record, or returns `nil` if the store cannot do so without blocking.
    func readImmediately() -> Reading? {
        current.readImmediately().map { Reading($0) }
    }

    /// Writes a changed session if the record has the given generation.
    ///
    /// - Parameters:
    ///   - stored: The session.
    ///   - generation: The expected generation of the record.
    ///   - isWanted: Returns whether the write is still wanted.
    /// - Returns: The new generation.
    /// - Throws: ``SessionStoreError``; a conflict if the record has another generation or the write is no
    ///   longer wanted.
    func save(
        _ stored: StoredSession,
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        try current.write(stored.encoded(), basedOn: generation, while: isWanted)
    }

    /// Writes a login in place of any record, even a damaged one, but not one that is locked or newer.
    ///
    /// - Parameters:
    ///   - stored: The login.
    ///   - guess: The assumed generation of the record; a wrong assumption costs another attempt.
    ///   - persistence: Where to write the login; with `process`, the record in the store is removed first.
    ///   - isWanted: Returns whether the write is still wanted.
    /// - Returns: The new generation.
    /// - Throws: ``SessionStoreError`` if the login was not written.
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
        case .process:
            try removeForReplacement(while: isWanted)
            try sideStores[.login]?.remove()
            let memory = MemoryStore()
            let generation = try memory.write(bytes, basedOn: 0)
            // A sign-out that begins after this check also removes this record.
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

    /// Removes the record in the store in favor of a login that is not written to it; the same records as
    /// those that a login replaces.
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

    /// Removes any record and the side records that end with a sign-out; no later read returns them.
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

    /// Makes the removal of any record, and of the side records that end with a sign-out, final without
    /// waiting, and leaves slow work to ``completeRemoval()``.
    ///
    /// The side records are removed first: if the process is terminated in between, the user is still logged
    /// in.
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

    /// Erases the data that ``beginRemoval()`` has left.
    func completeRemoval() {
        sideStores[.login]?.completeRemoval()
        store.completeRemoval()
    }

    /// Removes the record if its session matches a condition.
    ///
    /// - Parameter isDoomed: Returns whether a session is the one to remove; no other record is removed.
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

    /// Returns the generation for the next attempt to replace the record, and removes a damaged record.
    private func generationToReplace() throws(SessionStoreError) -> UInt64 {
        switch store.read() {
        case .present(_, let generation):
            return generation
        case .absent:
            return 0
        case .unavailable(let error):
            // A damaged record is useless; a locked or newer one may hold a valid session.
            guard error.code == .unreadable else { throw error }
            try store.remove()
            return 0
        }
    }
}
