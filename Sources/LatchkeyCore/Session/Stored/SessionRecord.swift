/// The session's record in the store, with operations that require several calls to the store.
///
/// A keeper performs them on its queue, one at a time.
struct SessionRecord: Sendable {
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

    init(store: any SessionStore) {
        self.store = store
    }

    /// Reads the record; may block.
    func read() -> Reading {
        Reading(store.read())
    }

    /// Reads the record, or returns `nil` if the store cannot do so without blocking.
    func readImmediately() -> Reading? {
        store.readImmediately().map { Reading($0) }
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
        try store.write(stored.encoded(), basedOn: generation, while: isWanted)
    }

    /// Writes a login in place of any record, even a damaged one, but not one that is locked or newer.
    ///
    /// - Parameters:
    ///   - stored: The login.
    ///   - guess: The assumed generation of the record; a wrong assumption costs another attempt.
    ///   - isWanted: Returns whether the write is still wanted.
    /// - Returns: The new generation.
    /// - Throws: ``SessionStoreError`` if the login was not written.
    func replace(
        _ stored: StoredSession,
        guess: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        let bytes = try stored.encoded()
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

    /// Removes any record; no later read returns it.
    func remove() throws(SessionStoreError) {
        try store.remove()
    }

    /// Removes the record if its session matches a condition.
    ///
    /// - Parameter isDoomed: Returns whether a session is the one to remove; no other record is removed.
    /// - Throws: ``SessionStoreError`` if the record could not be read or removed.
    func remove(where isDoomed: (StoredSession) -> Bool) throws(SessionStoreError) {
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
