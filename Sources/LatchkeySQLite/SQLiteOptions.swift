/// Options for a SQLite database.
package struct SQLiteOptions: Sendable {
    /// The maximum number of waiting transactions, beyond which further transactions fail with `overloaded`.
    ///
    /// Transactions that the writer has taken from the queue are not counted.
    package var queue: Int

    /// The maximum time to wait while another process writes to the same file.
    ///
    /// Operations that exceed this time fail with `unavailable`. The resolution is one millisecond.
    package var busyTimeout: Duration

    /// Creates options, whose defaults suit a server that has the file to itself.
    package init(queue: Int = 4096, busyTimeout: Duration = .seconds(10)) {
        self.queue = queue
        self.busyTimeout = busyTimeout
    }
}
