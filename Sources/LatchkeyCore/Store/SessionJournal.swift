import LatchkeyModel

/// A journal of session events that can later explain why a user was signed out.
///
/// The client never bases any decisions on the journal. If an entry can't be written, it is dropped without
/// an error. The methods may block for a short file operation, so the client doesn't call them on the threads
/// of the cooperative pool. The only exception is a sign-out, which is synchronous.
public protocol SessionJournal: Sendable {
    /// Adds entries to the journal.
    ///
    /// - Parameter entries: The entries, starting with the oldest. While a persistent journal is empty, it
    ///   may ignore entries until there is one about a login.
    func append(_ entries: [JournalEntry])

    /// Deletes all entries. This is called when the app signs out, because no trace of the login may remain
    /// on the device.
    func clear()

    /// Returns all entries.
    ///
    /// - Returns: The entries of all processes that share the journal, starting with the oldest.
    func entries() -> [JournalEntry]
}

/// An in-memory journal that contains the most recent 500 entries of this process.
final class MemoryJournal: SessionJournal {
    private static let limit = 500

    private let kept = Locked<[JournalEntry]>([])
    private let startsWithLogin: Bool

    /// Creates an empty journal.
    ///
    /// - Parameter startsWithLogin: Whether entries are ignored until there is one about a login, as in the
    ///   journals of the platform's stores.
    init(startsWithLogin: Bool = false) {
        self.startsWithLogin = startsWithLogin
    }

    func append(_ entries: [JournalEntry]) {
        kept.withLock { kept in
            let isIgnored =
                startsWithLogin && kept.isEmpty && !entries.contains { $0.kind == .signedIn }
            guard !isIgnored else { return }
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
