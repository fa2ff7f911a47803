/// Options for a SQLite database.
package struct SQLiteOptions: Sendable {
    /// The maximum number of waiting transactions.
    ///
    /// When the queue is full, new transactions fail with `overloaded`.
    ///
    /// Transactions that the writer has already taken from the queue don't count.
    package var queue: Int

    /// How long to wait while another process is writing to the file.
    ///
    /// Operations that take longer fail with `unavailable`. Fractions of a millisecond are ignored.
    package var busyTimeout: Duration

    /// Creates options.
    ///
    /// The defaults suit a server that has the file to itself.
    package init(queue: Int = 4096, busyTimeout: Duration = .seconds(10)) {
        self.queue = queue
        self.busyTimeout = busyTimeout
    }
}
