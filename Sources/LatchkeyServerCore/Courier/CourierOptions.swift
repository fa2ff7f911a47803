/// How the courier works.
package struct CourierOptions: Sendable {
    /// How many messages are sent at once.
    package var workers: Int

    /// How long a worker has a message for itself; longer than any attempt may take.
    package var lease: Duration

    /// How often to look for messages that other nodes have left behind.
    package var poll: Duration

    /// When to try again.
    package var retries: RetryPolicy

    package init(
        workers: Int = 2,
        lease: Duration = .seconds(180),
        poll: Duration = .seconds(30),
        retries: RetryPolicy = RetryPolicy()
    ) {
        self.workers = workers
        self.lease = lease
        self.poll = poll
        self.retries = retries
    }
}
