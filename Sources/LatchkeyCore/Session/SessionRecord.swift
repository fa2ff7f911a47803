import LatchkeyModel

/// The one record of the store, and the right to touch it.
///
/// The lock is held during a file operation, which is short, so that a sign-out can wait for one that is under
/// way and be certain that none follows.
final class SessionRecord: Sendable {
    private let file: Locked<File>

    init(store: any SessionStore) {
        file = Locked(File(store: store))
    }

    func exclusively<Value>(_ body: (inout File) -> Value) -> Value {
        file.withLock { body(&$0) }
    }

    struct File: Sendable {
        private let store: any SessionStore
        private var generation: UInt64 = 0

        fileprivate init(store: any SessionStore) {
            self.store = store
        }

        mutating func read() -> StoredSession.Reading {
            switch store.read() {
            case .present(let bytes, let generation):
                self.generation = generation
                return StoredSession.reading(bytes)
            case .absent:
                generation = 0
                return .absent
            case .unavailable(let error):
                return .unavailable(error)
            }
        }

        /// Writes the record.
        ///
        /// - Parameters:
        ///   - stored: What to write.
        ///   - replacing: Whether it also takes the place of a record that another process wrote meanwhile, or
        ///     that cannot be read.
        /// - Returns: Why it is not written.
        mutating func write(_ stored: StoredSession, replacing: Bool) -> SessionStoreError? {
            do throws(SessionStoreError) {
                let bytes = try stored.encoded()
                do throws(SessionStoreError) {
                    generation = try store.write(bytes, basedOn: generation)
                } catch  where replacing && (error.code == .conflict || error.code == .unreadable) {
                    generation = try store.write(bytes, basedOn: try generationToReplace())
                }
                return nil
            } catch {
                return error
            }
        }

        mutating func remove() -> SessionStoreError? {
            do throws(SessionStoreError) {
                try store.remove()
                generation = 0
                return nil
            } catch {
                return error
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
}
