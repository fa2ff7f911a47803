package import LatchkeyModel

/// Determines when failed messages are retried: with exponential back-off and jitter, until the message
/// expires or runs out of attempts.
package struct RetryPolicy: Hashable, Sendable {
    /// The maximum delay that a provider can ask for, unless the message's maximum back-off is longer.
    private static let longestRequested: Duration = .seconds(3600)

    /// The maximum number of attempts per message.
    package var attempts: Int

    /// The back-off after the first attempt.
    ///
    /// The back-off doubles after every attempt. The actual delay is a random duration between half the
    /// back-off and the full back-off.
    package var first: Duration

    /// The maximum back-off for messages that expire.
    ///
    /// This back-off is short because a user is waiting for the message.
    package var longest: Duration

    /// The maximum back-off for messages that don't expire.
    ///
    /// With the default number of attempts, a mail server can be down for about a day before these messages
    /// are abandoned.
    package var longestUnhurried: Duration

    /// Creates a policy.
    ///
    /// The defaults suit one-time codes that expire after a few minutes.
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

    /// Returns the time of the next attempt, or `nil` if the message should be abandoned.
    ///
    /// If the provider asked for a longer delay than the back-off, the provider's delay is used, up to a
    /// limit of one hour or the message's maximum back-off, whichever is longer. If the message would expire
    /// before the next attempt, it is abandoned.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed, starting at 1.
    ///   - now: The time of the failure.
    ///   - asked: The delay that the provider asked for, if any.
    ///   - expiry: When the message expires, or `nil` if it never does.
    ///   - random: The source of randomness for the jitter, which keeps many messages from being retried at
    ///     the same time.
    /// - Returns: The time of the next attempt, or `nil` if there are no attempts left or the message would
    ///   have expired by then.
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
        // Add jitter by picking a delay between half the back-off and the full back-off.
        wait = random.duration(in: wait / 2..<wait)
        let time = now + max(wait, min(asked ?? .zero, max(longest, Self.longestRequested)))
        guard let expiry else { return time }
        return time < expiry ? time : nil
    }
}
