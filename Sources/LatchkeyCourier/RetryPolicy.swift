package import LatchkeyModel

/// The retry policy for messages: exponential back-off with jitter, until a message expires or has no
/// attempts left.
package struct RetryPolicy: Hashable, Sendable {
    /// The maximum delay that a provider can request, unless the maximum back-off of the message is longer.
    private static let longestRequested: Duration = .seconds(3600)

    /// The maximum number of attempts for one message.
    package var attempts: Int

    /// The back-off after the first attempt.
    ///
    /// The back-off doubles with each further attempt. The actual delay is between half of the back-off and
    /// the full back-off.
    package var first: Duration

    /// The maximum back-off for messages that expire, because a user is waiting for them.
    package var longest: Duration

    /// The maximum back-off for messages that do not expire.
    ///
    /// With the default number of attempts, a mail server can be down for about a day before these messages
    /// are abandoned.
    package var longestUnhurried: Duration

    /// Creates a policy, whose defaults suit one-time codes, which expire after minutes.
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

    /// Returns the time of the next attempt; `nil` if the message should be abandoned.
    ///
    /// A requested delay can only lengthen the back-off. The requested delay is limited to an hour, or to the
    /// maximum back-off of the message if that is longer. A message that expires is abandoned if the next
    /// attempt would not be made before its expiry.
    ///
    /// - Parameters:
    ///   - attempt: The number of the failed attempt, counted from 1.
    ///   - now: The time of the failure.
    ///   - asked: The delay that the provider requested; `nil` if it requested none.
    ///   - expiry: The expiry of the message; `nil` if it does not expire.
    ///   - random: The source of the jitter, which prevents many messages from being retried at once.
    /// - Returns: The time, or `nil` if no attempts are left or the time would be at or after the expiry.
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
        // Jitter: waits between half of the back-off and the full back-off.
        wait = random.duration(in: wait / 2..<wait)
        let time = now + max(wait, min(asked ?? .zero, max(longest, Self.longestRequested)))
        guard let expiry else { return time }
        return time < expiry ? time : nil
    }
}
