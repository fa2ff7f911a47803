/// Options of a SQLite database.
package struct SQLiteOptions: Sendable {
    /// The maximum number of waiting transactions; further ones fail with `overloaded`.
    ///
    /// A group that the writer has taken from the queue does not count.
    package var queue: Int

    /// The time limit for waiting for another process that writes to the same file.
    ///
    /// Operations that exceed it fail with `unavailable`. It has a resolution of one millisecond.
    package var busyTimeout: Duration

    /// Creates options; the defaults suit a server that has the file to itself.
    package init(queue: Int = 4096, busyTimeout: Duration = .seconds(10)) {
        self.queue = queue
        self.busyTimeout = busyTimeout
    }
}
