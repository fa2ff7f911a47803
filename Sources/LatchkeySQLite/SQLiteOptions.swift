/// Options of a SQLite database.
package struct SQLiteOptions: Sendable {
    /// The maximum number of waiting transactions; further ones fail with `overloaded`.
    package var queue: Int

    /// The time limit for waiting for another process that writes to the same file.
    package var busyTimeout: Duration

    /// Creates options; the defaults suit a server that has the file to itself.
    package init(queue: Int = 4096, busyTimeout: Duration = .seconds(10)) {
        self.queue = queue
        self.busyTimeout = busyTimeout
    }
}
