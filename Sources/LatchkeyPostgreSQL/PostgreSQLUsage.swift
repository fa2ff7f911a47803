import LatchkeyModel

/// Usage metrics for a database's connections.
///
/// The values are read at slightly different times, so they may not be consistent with each other.
package struct PostgreSQLUsage: Sendable {
    /// The number of open connections for reads.
    package fileprivate(set) var readers = 0

    /// The number of open connections for transactions.
    package fileprivate(set) var writers = 0

    /// The number of open connections for notifications, which is 0 or 1.
    package fileprivate(set) var listeners = 0

    /// How many times transactions have been retried since the database was opened.
    package fileprivate(set) var retries = 0

    /// The number of reads that haven't been answered yet.
    package internal(set) var waitingReads = 0

    /// The number of transactions that are waiting for a thread.
    package internal(set) var waitingWrites = 0
}

/// Collects usage metrics.
///
/// This type is thread-safe.
final class PostgreSQLUsageMeter: Sendable {
    private let state = Locked(PostgreSQLUsage())

    /// The current metrics.
    ///
    /// The queue lengths are always zero here. The database sets them in its copy of the metrics.
    var usage: PostgreSQLUsage { state.withLock { $0 } }

    /// Records that a transaction is being retried.
    func countRetry() {
        state.withLock { $0.retries += 1 }
    }

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
