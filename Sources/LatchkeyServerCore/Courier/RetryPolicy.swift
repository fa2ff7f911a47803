package import LatchkeyModel

/// When to try again what has failed: waits that double, with jitter, until it is of no use.
package struct RetryPolicy: Hashable, Sendable {
    /// How often a message is tried at the most.
    package var attempts: Int

    /// The wait after the first attempt.
    package var first: Duration

    /// The longest wait while somebody waits for the message.
    package var longest: Duration

    /// The longest wait of a message that nobody waits for; with so many attempts it outlives a day without a mail server.
    package var longestUnhurried: Duration

    package init(
        attempts: Int = 100,
        first: Duration = .seconds(2),
        longest: Duration = .seconds(120),
        longestUnhurried: Duration = .seconds(1800)
    ) {
        self.attempts = attempts
        self.first = first
        self.longest = longest
        self.longestUnhurried = longestUnhurried
    }

    /// The time of the next attempt; nothing when the message is to be given up.
    ///
    /// - Parameters:
    ///   - attempt: Which attempt has failed, counted from 1.
    ///   - now: When it has failed.
    ///   - asked: How long the other side asks to be left alone.
    ///   - expiry: When the message is of no use any more.
    ///   - random: The source of the jitter, which keeps many messages from coming back at once.
    /// - Returns: The time.
    package func retry(
        after attempt: Int,
        at now: Timestamp,
        asked: Duration?,
        expiry: Timestamp?,
        random: some RandomSource
    ) -> Timestamp? {
        guard attempt < attempts else { return nil }
        let longest = expiry == nil ? longestUnhurried : longest
        var wait = min(first, longest)
        for _ in 1..<max(1, attempt) where wait < longest { wait = min(wait * 2, longest) }
        // Between half of the wait and the whole.
        wait = random.duration(in: wait / 2..<wait)
        let time = now + max(wait, asked ?? .zero)
        guard let expiry else { return time }
        return time < expiry ? time : nil
    }
}
