/// How what is over is deleted.
package struct CleanUpOptions: Hashable, Sendable {
    /// How long to rest between two rounds.
    package var interval: Duration = .seconds(300)

    /// How many rows one transaction deletes at the most, so that nobody waits for it long.
    package var batch = 500

    /// For how long flows and codes are kept after their end, for those who come back late.
    package var flowRetention: Duration = .seconds(86_400)

    /// For how long sessions are kept after their end, for operators who look back.
    package var sessionRetention: Duration = .seconds(30 * 86_400)

    /// For how long messages are kept after they were sent or given up.
    package var messageRetention: Duration = .seconds(7 * 86_400)

    package init() {}
}
