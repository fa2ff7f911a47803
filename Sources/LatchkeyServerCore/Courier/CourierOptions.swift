/// How the courier works.
package struct CourierOptions: Sendable {
    /// Which messages it sends; others are left to other nodes.
    package var channels: [Message.Channel]

    /// How many messages of each channel are sent at once.
    package var workers: Int

    /// How long one attempt may take; the deliveries keep to it.
    package var attempts: [Message.Channel: Duration]

    /// How often to look for messages that other nodes have left behind.
    package var poll: Duration

    /// How long a message lies before it is sent, drawn for each, unless somebody waits for it.
    ///
    /// A message that is being sent takes time from the answer to the request that asked for it, and a decoy takes none:
    /// the pause lets the answer go first.
    package var pause: Range<Duration>

    /// When to try again.
    package var retries: RetryPolicy

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

    /// How long one attempt may take.
    func attempt(_ channel: Message.Channel) -> Duration {
        attempts[channel] ?? .seconds(120)
    }

    /// How long a worker has a message for itself: an attempt, and time to write down what became of it.
    ///
    /// Were it shorter than an attempt, a provider that hangs would get the message a second time meanwhile.
    func lease(_ channel: Message.Channel) -> Duration {
        attempt(channel) + min(.seconds(10), max(.seconds(2), attempt(channel)))
    }
}
