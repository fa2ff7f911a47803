import LatchkeyModel

/// The outcome of the most recent write to a database.
///
/// Reads may still succeed while writes fail, for example because the disk is full. Each driver records the
/// outcome of its transactions.
package final class WriteHealth: Sendable {
    private let state = Locked(false)

    /// Creates a record for a database that can be written to.
    package init() {}

    /// Whether the most recent write failed because the database couldn't be reached or written to.
    package var isFailing: Bool { state.withLock { $0 } }

    /// Records an error of a transaction.
    ///
    /// Errors that don't concern the storage, such as a conflict or a full queue, are ignored.
    package func record(_ error: DatabaseError) {
        if error.code == .unavailable { state.withLock { $0 = true } }
    }

    /// Records that changes were committed.
    ///
    /// Don't call this method for a transaction that changed no rows, because such a transaction also succeeds
    /// on a full disk.
    package func recordSuccess() {
        state.withLock { $0 = false }
    }
}
