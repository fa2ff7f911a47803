import LatchkeyModel

/// A journal of session events, which can later explain why a user was signed out.
///
/// No decision depends on it: an entry that cannot be written is dropped without an error. The methods may
/// block for a short file operation; the engine calls them outside the cooperative pool, except during a
/// sign-out, which is synchronous.
public protocol SessionJournal: Sendable {
    /// Appends entries.
    ///
    /// - Parameter entries: The entries, oldest first. A persistent journal that is empty may discard them
    ///   unless one of them records a login.
    func append(_ entries: [JournalEntry])

    /// Deletes all entries, because the app has signed out: no trace of the login may remain on the device.
    func clear()

    /// Returns all entries.
    ///
    /// - Returns: The entries, oldest first, of all processes that share the journal.
    func entries() -> [JournalEntry]
}

/// An in-memory journal with this process's latest 500 entries.
final class MemoryJournal: SessionJournal {
    private static let limit = 500

    private let kept = Locked<[JournalEntry]>([])

    func append(_ entries: [JournalEntry]) {
        kept.withLock { kept in
            kept += entries
            kept.removeFirst(max(0, kept.count - Self.limit))
        }
    }

    func clear() {
        kept.withLock { $0 = [] }
    }

    func entries() -> [JournalEntry] {
        kept.withLock { $0 }
    }
}
