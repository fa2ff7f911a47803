/// The channels, concurrency, timing and retry policy of the courier.
package struct CourierOptions: Sendable {
    /// The channels that this node sends; messages of others are left to other nodes.
    package var channels: [Message.Channel]

    /// The number of concurrent workers of each channel, at least 1.
    ///
    /// It is also the maximum number of concurrent calls of a channel's delivery on this node.
    package var workers: Int

    /// The timeout of one attempt by channel, which the deliveries must observe; 120 s by default.
    ///
    /// The lease of a message is longer than this by 2 to 10 s, so that no other worker sends it meanwhile.
    package var attempts: [Message.Channel: Duration]

    /// The interval at which the outbox is polled for messages that other nodes stored or left behind.
    ///
    /// Messages that are stored on this node do not wait for it, as ``Courier/wake()`` wakes a worker at
    /// once.
    ///
    /// An idle worker that knows of a message that is due earlier wakes at that time instead.
    package var poll: Duration

    /// The range of the random pause before a message is sent; it does not apply to messages that a request
    /// waits for.
    ///
    /// Sending takes resources from the response to the request that caused the message, and a decoy is not
    /// sent. The pause lets the response go first, so that its latency does not reveal which of the two was
    /// stored.
    package var pause: Range<Duration>

    /// The back-off and the number of attempts.
    package var retries: RetryPolicy

    /// Creates options; the defaults are those for a single node that sends on both channels.
    ///
    /// A channel that is missing in `attempts` has a timeout of 120 s. A number of `workers` below 1 counts
    /// as 1.
    ///
    /// - Parameters:
    ///   - channels: The channels that this node sends.
    ///   - workers: The number of concurrent workers of each channel.
    ///   - attempts: The timeout of one attempt by channel.
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

    /// Returns the duration of a lease: the timeout of an attempt, and between 2 and 10 s to record its
    /// outcome.
    ///
    /// With a lease shorter than an attempt, an unresponsive provider would get the message a second time
    /// meanwhile.
    func lease(_ channel: Message.Channel) -> Duration {
        attempt(channel) + min(.seconds(10), max(.seconds(2), attempt(channel)))
    }
}
