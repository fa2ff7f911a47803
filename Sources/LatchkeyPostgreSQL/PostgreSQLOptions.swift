/// Options of a PostgreSQL database: connections, queues, timeouts and retries.
package struct PostgreSQLOptions: Sendable {
    /// The maximum number of connections for reads; one is always open, further ones are opened on demand.
    ///
    /// Another connection is opened when all of them have several pending reads.
    package var readers: Int

    /// The maximum number of concurrent reads on one connection.
    ///
    /// Further reads wait in the queue until a connection has room.
    package var depth: Int

    /// The number of threads for transactions, and so the maximum number of their connections.
    package var writers: Int

    /// The maximum number of pending reads, and of waiting transactions; further ones fail with `overloaded`.
    package var queue: Int

    /// The time limit of one statement, enforced by the server.
    ///
    /// A statement that exceeds it fails with `unavailable`. Migrations are exempt.
    package var statementTimeout: Duration

    /// The additional time to wait for a server that does not enforce ``statementTimeout``.
    package var grace: Duration

    /// The time limit for waiting in the queue and for retries, of a read or a transaction.
    package var waitTimeout: Duration

    /// The maximum number of attempts of a transaction, after conflicts and broken connections.
    ///
    /// A transaction whose connection broke during the commit is not repeated, as its outcome is unknown.
    package var attempts: Int

    /// Creates options; the defaults open at most 12 connections for each server, and another one while the
    /// schema is migrated.
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

    /// The time limit for an answer, after which the connection is given up.
    var answerTimeout: Duration { statementTimeout + grace }
}
