/// What can be chosen about a SQLite database.
package struct SQLiteOptions: Sendable {
    /// How many transactions may wait; beyond it they are refused as `overloaded`.
    package var queue: Int

    /// How long to wait for another process that writes to the same file.
    package var busyTimeout: Duration

    package init(queue: Int = 4096, busyTimeout: Duration = .seconds(10)) {
        self.queue = queue
        self.busyTimeout = busyTimeout
    }
}
