/// Options for the connections, queues, timeouts and retries of a PostgreSQL database.
package struct PostgreSQLOptions: Sendable {
    /// The maximum number of connections for reads, one of which is always open while the others are opened
    /// on demand.
    ///
    /// Another connection is opened when all open connections have several pending reads.
    package var readers: Int

    /// The maximum number of concurrent reads on one connection.
    ///
    /// Further reads wait in the queue until a connection has room.
    package var depth: Int

    /// The number of threads for transactions, which is also the maximum number of connections for
    /// transactions.
    package var writers: Int

    /// The maximum number of pending reads, and also of waiting transactions, beyond which calls fail with
    /// `overloaded`.
    package var queue: Int

    /// The time limit for one statement, which the server enforces.
    ///
    /// A statement that exceeds the limit fails with `unavailable`. Migrations are exempt from it.
    package var statementTimeout: Duration

    /// The time to wait beyond ``statementTimeout`` for a server that does not enforce it.
    package var grace: Duration

    /// How long a read or a transaction may wait in the queue and be retried.
    package var waitTimeout: Duration

    /// The maximum number of attempts for a transaction, which is retried after conflicts and broken
    /// connections.
    ///
    /// A transaction whose connection broke during the commit is not repeated, because its outcome is
    /// unknown.
    package var attempts: Int

    /// Creates options.
    ///
    /// With the defaults, each server opens at most 12 connections, plus one for notifications and one while it
    /// migrates the schema.
    package init(
        readers: Int = 4,
        depth: Int = 16,
        writers: Int = 8,
        queue: Int = 4096,
        statementTimeout: Duration = .seconds(10),
        grace: Duration = .seconds(2),
        waitTimeout: Duration = .seconds(5),
        attempts: Int = 64
    ) {
        self.readers = readers
        self.depth = depth
        self.writers = writers
        self.queue = queue
        self.statementTimeout = statementTimeout
        self.grace = grace
        self.waitTimeout = waitTimeout
        self.attempts = attempts
    }

    /// The time limit for an answer, after which the connection is abandoned.
    var answerTimeout: Duration { statementTimeout + grace }
}
