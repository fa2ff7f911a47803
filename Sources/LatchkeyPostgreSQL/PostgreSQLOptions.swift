/// What can be chosen about a PostgreSQL database.
package struct PostgreSQLOptions: Sendable {
    /// How many connections read, at most; they are opened as they are needed.
    package var readers: Int

    /// How many reads may be under way on one connection.
    package var depth: Int

    /// How many connections write, at most; each has a thread.
    package var writers: Int

    /// How many reads, and how many transactions, may wait; beyond it they are refused as `overloaded`.
    package var queue: Int

    /// How long one statement may take; the server ends it.
    package var statementTimeout: Duration

    /// How much longer to wait for a server that does not keep to ``statementTimeout``.
    package var grace: Duration

    /// How long a read or a transaction may wait for its turn, and how long it may go on being tried again.
    package var patience: Duration

    /// How often a transaction is tried when others get in its way.
    package var attempts: Int

    package init(
        readers: Int = 4,
        depth: Int = 16,
        writers: Int = 8,
        queue: Int = 4096,
        statementTimeout: Duration = .seconds(10),
        grace: Duration = .seconds(2),
        patience: Duration = .seconds(5),
        attempts: Int = 64
    ) {
        self.readers = readers
        self.depth = depth
        self.writers = writers
        self.queue = queue
        self.statementTimeout = statementTimeout
        self.grace = grace
        self.patience = patience
        self.attempts = attempts
    }

    /// When we no longer believe that the server will end a statement itself.
    var answerTimeout: Duration { statementTimeout + grace }
}
