/// The one record of the store, and the operations on it that take more than one call.
///
/// A keeper performs them on its queue, one at a time.
struct SessionRecord: Sendable {
    /// What a read finds.
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

    /// How often another process may be faster before an operation is given up.
    private static let attempts = 5

    private let store: any SessionStore

    init(store: any SessionStore) {
        self.store = store
    }

    func read() -> Reading {
        Reading(store.read())
    }

    /// Reads the record if the store can do that without waiting.
    func readImmediately() -> Reading? {
        store.readImmediately().map { Reading($0) }
    }

    /// Writes a changed form of a session, if the record is of a generation.
    ///
    /// - Parameters:
    ///   - stored: The session.
    ///   - generation: The generation of the record.
    ///   - isWanted: Returns whether the write is still wanted.
    /// - Returns: The new generation.
    /// - Throws: ``SessionStoreError``; a conflict when the record has moved on, or when the write is no longer wanted.
    func save(
        _ stored: StoredSession,
        basedOn generation: UInt64,
        while isWanted: () -> Bool
    ) throws(SessionStoreError) -> UInt64 {
        try store.write(stored.encoded(), basedOn: generation, while: isWanted)
    }

    /// Writes a login in place of whatever there is, also of a record that cannot be read.
    ///
    /// - Parameters:
    ///   - stored: The login.
    ///   - guess: The generation of the record, as far as it is known.
    ///   - isWanted: Returns whether the write is still wanted.
    /// - Returns: The new generation.
    /// - Throws: ``SessionStoreError`` when the store keeps what it had.
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

    /// Removes whatever there is, for all readers.
    func remove() throws(SessionStoreError) {
        try store.remove()
    }

    /// Removes the record of a login, and leaves that of another.
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

    private func generationToReplace() throws(SessionStoreError) -> UInt64 {
        switch store.read() {
        case .present(_, let generation):
            return generation
        case .absent:
            return 0
        case .unavailable(let error):
            // A damaged record is of no use to anybody; a locked or newer one may be.
            guard error.code == .unreadable else { throw error }
            try store.remove()
            return 0
        }
    }
}
