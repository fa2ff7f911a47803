import LatchkeyModel

/// The channels, concurrency, timing and retry policy of the courier.
package struct CourierOptions: Sendable {
    /// The channels that this node serves, leaving messages on other channels to other nodes.
    package var channels: [Message.Channel]

    /// The number of concurrent workers of each channel, at least 1.
    ///
    /// The number is also the maximum number of concurrent calls to a channel's delivery on this node.
    package var workers: Int

    /// The timeout of one attempt for each channel (120 s by default), which the deliveries must observe.
    ///
    /// The lease of a message is 2 to 10 s longer than this timeout, so no other worker sends the message in
    /// the meantime.
    package var attempts: [Message.Channel: Duration]

    /// The interval at which the outbox is polled for messages that other nodes stored or failed to send.
    ///
    /// Messages that are stored on this node do not wait for the next poll, because ``Courier/wake()`` wakes
    /// a worker at once.
    ///
    /// If an idle worker knows of a message that is due before the next poll, the worker wakes when that
    /// message is due.
    package var poll: Duration

    /// The range of the random pause before a message is sent.
    ///
    /// Messages that a request waits for are sent without a pause.
    ///
    /// Sending a message would slow down the response to the request that triggered it, but a decoy is not
    /// sent. The pause lets the response finish first, so its latency does not reveal whether a message or a
    /// decoy was stored.
    package var pause: Range<Duration>

    /// The back-off and the number of attempts.
    package var retries: RetryPolicy

    /// Creates options, whose defaults suit a single node that sends on both channels.
    ///
    /// A channel that is missing from `attempts` has a timeout of 120 s. If `workers` is below 1, one worker
    /// is used.
    ///
    /// - Parameters:
    ///   - channels: The channels that this node serves.
    ///   - workers: The number of concurrent workers of each channel.
    ///   - attempts: The timeout of one attempt for each channel.
    ///   - poll: The interval at which the outbox is polled.
    ///   - pause: The range of the random pause before a message is sent.
    ///   - retries: The back-off and the number of attempts.
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

    /// Returns the timeout of one attempt.
    func attempt(_ channel: Message.Channel) -> Duration {
        attempts[channel] ?? .seconds(120)
    }

    /// Returns the duration of a lease: the timeout of an attempt, plus 2 to 10 s to record its outcome.
    ///
    /// If a lease were shorter than an attempt, the message would be sent to an unresponsive provider a
    /// second time while the first attempt is in progress.
    func lease(_ channel: Message.Channel) -> Duration {
        attempt(channel) + min(.seconds(10), max(.seconds(2), attempt(channel)))
    }
}
