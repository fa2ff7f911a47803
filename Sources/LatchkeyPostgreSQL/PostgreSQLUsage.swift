import LatchkeyModel

/// How the connections to a database are used.
package struct PostgreSQLUsage: Sendable {
    /// Connections that reads share.
    package fileprivate(set) var readers = 0

    /// Connections for transactions.
    package fileprivate(set) var writers = 0

    /// Transactions that were begun anew.
    package fileprivate(set) var retries = 0

    /// Reads that are under way or wait.
    package internal(set) var waitingReads = 0

    /// Transactions that wait for a thread.
    package internal(set) var waitingWrites = 0
}

/// Where the threads of a database note what they do.
final class PostgreSQLUsageMeter: Sendable {
    private let state = Locked(PostgreSQLUsage())

    var usage: PostgreSQLUsage { state.withLock { $0 } }

    func countRetry() {
        state.withLock { $0.retries += 1 }
    }

    func note(readers: Int) {
        state.withLock { $0.readers = readers }
    }

    /// Notes that a writer has connected, or is connected no more.
    func noteWriter(isConnected: Bool) {
        state.withLock { $0.writers += isConnected ? 1 : -1 }
    }
}
