import LatchkeyModel

/// Remembers what became of a session, for whoever asks later why somebody was signed out.
///
/// Nothing depends on it: an entry that cannot be kept is lost without a word. Its calls may block for a short file
/// operation; the engine makes them off the cooperative pool, except in a sign-out, which is synchronous.
public protocol SessionJournal: Sendable {
    /// Adds entries.
    ///
    /// - Parameter entries: What happened, in this order. Where nothing is remembered, it begins with a login.
    func append(_ entries: [JournalEntry])

    /// Forgets everything, because the app has signed out: the device is to be as one that never logged in.
    func clear()

    /// What is remembered.
    ///
    /// - Returns: The entries, oldest first; those of all processes that share the journal.
    func entries() -> [JournalEntry]
}

/// A journal that ends with the process.
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
