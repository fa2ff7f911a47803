/// How what is over is deleted.
package struct CleanUpOptions: Hashable, Sendable {
    /// How long to rest between two rounds.
    package var interval: Duration = .seconds(60)

    /// How many rows one transaction deletes at the most, so that nobody waits for it long.
    package var batch = 500

    /// How long flows of no account are stored after they expired unfinished, with their codes.
    ///
    /// Their ids are refused as expired with and without a row.
    package var unfinishedRetention: Duration = .seconds(600)

    /// How long other flows and codes are stored after their expiry, for clients that come back late.
    package var flowRetention: Duration = .seconds(86_400)

    /// For how long sessions are kept after their end, for operators who look back.
    package var sessionRetention: Duration = .seconds(30 * 86_400)

    /// For how long messages are kept after they were sent or given up.
    package var messageRetention: Duration = .seconds(7 * 86_400)

    /// How long events of the audit log are stored; zero keeps them for good.
    package var auditRetention: Duration = .seconds(400 * 86_400)

    package init() {}
}
