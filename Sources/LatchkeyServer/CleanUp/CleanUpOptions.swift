import LatchkeyAccounts
import LatchkeyCourier

/// The retention periods and batch size of the clean-up.
package struct CleanUpOptions: Hashable, Sendable {
    /// The pause between two rounds.
    ///
    /// Half of it is also the duration of the lease by which one node at a time cleans up.
    package var interval: Duration = .seconds(60)

    /// The maximum number of rows that one transaction deletes; a small batch holds locks only briefly.
    package var batch = 500

    /// The retention of unfinished flows without an account, and their codes, after their expiry.
    ///
    /// Their ids are rejected as expired with or without a row.
    package var unfinishedRetention: Duration = .seconds(600)

    /// The retention of all other flows and codes after their expiry, for clients that return late.
    package var flowRetention: Duration = .seconds(86_400)

    /// The retention of sessions after their scheduled expiry, for operators who investigate.
    ///
    /// A revoked session is retained as long as if it had not been revoked.
    package var sessionRetention = SessionSettings().retention

    /// The retention of messages after they were sent or abandoned.
    package var messageRetention = CourierSettings().retention

    /// The retention of audit events; zero retains them forever.
    package var auditRetention = AuditSettings().retention

    /// Creates the defaults.
    package init() {}

    /// Creates options with the retention periods that operators configure.
    ///
    /// - Parameters:
    ///   - sessions: The retention of sessions after their scheduled expiry.
    ///   - messages: The retention of messages that were sent or abandoned.
    ///   - audit: The retention of audit events; zero retains them indefinitely.
    package init(sessions: Duration, messages: Duration, audit: Duration) {
        sessionRetention = sessions
        messageRetention = messages
        auditRetention = audit
    }
}
