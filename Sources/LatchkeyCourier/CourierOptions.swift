import LatchkeyModel

/// Configures the channels, concurrency, timing and retry policy of the courier.
package struct CourierOptions: Sendable {
    /// The channels that this node sends messages on.
    ///
    /// Messages on other channels are left to other nodes.
    package var channels: [Message.Channel]

    /// The number of concurrent workers per channel, at least 1.
    ///
    /// This is also the maximum number of concurrent calls that this node makes to a channel's delivery.
    package var workers: Int

    /// How long a single attempt may take on each channel, 120 s by default.
    ///
    /// Deliveries must respect this timeout.
    ///
    /// The lease on a message lasts 2 to 10 s longer than this timeout, so no other worker sends the message
    /// while an attempt is in progress.
    package var attempts: [Message.Channel: Duration]

    /// How often the outbox is polled for messages that other nodes have stored or failed to send.
    ///
    /// Messages stored on this node don't have to wait for the next poll, because ``Courier/wake()`` wakes a
    /// worker immediately. An idle worker that knows of a message due before the next poll wakes up when that
    /// message is due.
    package var poll: Duration

    /// The range of the random delay before a message is sent.
    ///
    /// There is no delay for messages that a request waits for.
    ///
    /// Sending a message would slow down the response to the request that triggered it, whereas a decoy is
    /// never sent. The delay gives the response time to complete first, so that its latency doesn't reveal
    /// whether the message was a decoy.
    package var pause: Range<Duration>

    /// The back-off and the maximum number of attempts.
    package var retries: RetryPolicy

    /// Creates options.
    ///
    /// The defaults suit a single node that sends messages on both channels.
    ///
    /// - Parameters:
    ///   - channels: The channels that this node sends messages on.
    ///   - workers: The number of concurrent workers per channel. Values below 1 are treated as 1.
    ///   - attempts: The timeout of a single attempt on each channel. Channels that aren't listed use 120 s.
    ///   - poll: How often the outbox is polled.
    ///   - pause: The range of the random delay before a message is sent.
    ///   - retries: The back-off and the maximum number of attempts.
    package init(
        channels: [Message.Channel] = Message.Channel.allCases,
        workers: Int = 4,
        attempts: [Message.Channel: Duration] = [:],
        poll: Duration = .seconds(30),
        pause: Range<Duration> = .milliseconds(20)..<(.milliseconds(120)),
        retries: RetryPolicy = RetryPolicy()
    ) {
        self.channels = channels
        self.workers = workers
        self.attempts = attempts
        self.poll = poll
        self.pause = pause
        self.retries = retries
    }

    /// Returns how long a single attempt may take.
    func attempt(_ channel: Message.Channel) -> Duration {
        attempts[channel] ?? .seconds(120)
    }

    /// Returns how long a lease lasts: the timeout of an attempt, plus 2 to 10 s to record its outcome.
    ///
    /// If a lease were shorter than an attempt, another worker would send the message again while the first
    /// worker is still waiting for a slow provider.
    func lease(_ channel: Message.Channel) -> Duration {
        attempt(channel) + min(.seconds(10), max(.seconds(2), attempt(channel)))
    }
}
