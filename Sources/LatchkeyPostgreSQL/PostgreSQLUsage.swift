import LatchkeyModel

/// Usage figures for the connections to a database.
///
/// The figures are read at slightly different times, so they may be inconsistent with each other.
package struct PostgreSQLUsage: Sendable {
    /// The number of connections for reads.
    package fileprivate(set) var readers = 0

    /// The number of connections for transactions.
    package fileprivate(set) var writers = 0

    /// The number of connections for notifications, which is at most 1.
    package fileprivate(set) var listeners = 0

    /// The total number of transaction retries.
    ///
    /// Counting starts when the database is opened.
    package fileprivate(set) var retries = 0

    /// The number of unanswered reads.
    package internal(set) var waitingReads = 0

    /// The number of transactions that wait for a thread.
    package internal(set) var waitingWrites = 0
}

/// A thread-safe collector of usage figures.
final class PostgreSQLUsageMeter: Sendable {
    private let state = Locked(PostgreSQLUsage())

    /// The current figures, in which the lengths of the queues are zero because the database adds them.
    var usage: PostgreSQLUsage { state.withLock { $0 } }

    /// Records that a transaction is attempted again.
    func countRetry() {
        state.withLock { $0.retries += 1 }
    }

    /// Records the number of connections for reads.
    func record(readers: Int) {
        state.withLock { $0.readers = readers }
    }

    /// Records that the listener has connected or disconnected.
    func recordListener(isConnected: Bool) {
        state.withLock { $0.listeners += isConnected ? 1 : -1 }
    }

    /// Records that a writer has connected or disconnected.
    func recordWriter(isConnected: Bool) {
        state.withLock { $0.writers += isConnected ? 1 : -1 }
    }
}
