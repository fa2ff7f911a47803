import LatchkeyAccounts
import LatchkeyCourier

/// The retention periods and batch size of the clean-up.
package struct CleanUpOptions: Hashable, Sendable {
    /// The pause between two rounds.
    ///
    /// Half of this interval is also the duration of the lease that limits the clean-up to one node at a
    /// time.
    package var interval: Duration = .seconds(60)

    /// The maximum number of rows that one transaction deletes.
    ///
    /// Small batches hold locks only briefly.
    package var batch = 500

    /// How long unfinished flows without an account, and their codes, are retained after they expire.
    ///
    /// The ids of expired flows are rejected whether or not the rows still exist.
    package var unfinishedRetention: Duration = .seconds(600)

    /// How long all other flows and codes are retained after they expire, for clients that return late.
    package var flowRetention: Duration = .seconds(86_400)

    /// How long sessions are retained after their scheduled expiry, for operators who investigate incidents.
    ///
    /// Revocation does not change how long a session is retained.
    package var sessionRetention = SessionSettings().retention

    /// How long messages are retained after they were sent or abandoned.
    package var messageRetention = CourierSettings().retention

    /// How long audit events are retained; zero retains them indefinitely.
    package var auditRetention = AuditSettings().retention

    /// Creates options with their default values.
    package init() {}

    /// Creates options with the retention periods that operators configure.
    ///
    /// - Parameters:
    ///   - sessions: How long sessions are retained after their scheduled expiry.
    ///   - messages: How long messages are retained after they were sent or abandoned.
    ///   - audit: How long audit events are retained; zero retains them indefinitely.
    package init(sessions: Duration, messages: Duration, audit: Duration) {
        sessionRetention = sessions
        messageRetention = messages
        auditRetention = audit
    }
}
