/// Options for the connections, queues, timeouts and retries of a PostgreSQL database.
package struct PostgreSQLOptions: Sendable {
    /// The maximum number of connections for reads.
    ///
    /// At least one connection is open at all times. An additional connection is opened when every open
    /// connection has several pending reads.
    package var readers: Int

    /// The maximum number of concurrent reads per connection.
    ///
    /// When all connections have reached this limit, new reads wait in the queue.
    package var depth: Int

    /// The number of threads that run transactions.
    ///
    /// Each thread uses at most one connection.
    package var writers: Int

    /// The maximum number of pending reads, and also the maximum number of waiting transactions.
    ///
    /// When a queue is full, calls fail with `overloaded`.
    package var queue: Int

    /// The maximum duration of a statement, enforced by the server.
    ///
    /// A statement that takes longer fails with `unavailable`. The limit doesn't apply to migrations.
    package var statementTimeout: Duration

    /// How long to wait for an answer after ``statementTimeout`` has passed, in case the server doesn't
    /// enforce that timeout.
    package var grace: Duration

    /// How long a read or transaction may wait in the queue and be retried.
    package var waitTimeout: Duration

    /// The maximum number of times to attempt a transaction.
    ///
    /// Transactions are retried after conflicts and broken connections.
    ///
    /// If the connection breaks during a commit, the transaction isn't retried, because it may already have
    /// been committed.
    package var attempts: Int

    /// Creates options.
    ///
    /// With the defaults, each server opens at most 12 connections, plus one for notifications and one while
    /// it migrates the schema.
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

    /// How long to wait for an answer before giving up on the connection.
    var answerTimeout: Duration { statementTimeout + grace }
}
