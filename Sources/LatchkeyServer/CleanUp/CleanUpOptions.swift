package import LatchkeyAccounts
import LatchkeyCourier

/// The retention periods and the batch size for ``CleanUp``.
package struct CleanUpOptions: Hashable, Sendable {
    /// The pause between two rounds.
    ///
    /// A node holds its lease for half of this interval, and no other node starts a round during that time.
    package var interval: Duration = .seconds(60)

    /// The maximum number of rows that one transaction deletes.
    ///
    /// The smaller this is, the sooner each transaction releases its locks.
    package var batch = 500

    /// How long unfinished flows without an account, and their codes, are retained after they expire.
    ///
    /// The server rejects the ids of expired flows even if the rows still exist.
    package var unfinishedRetention: Duration = .seconds(600)

    /// How long all other flows and codes are retained after they expire, in case a client returns late.
    package var flowRetention: Duration = .seconds(86_400)

    /// How long sessions are retained after their scheduled expiry, so that operators can investigate
    /// incidents.
    ///
    /// Revoking a session doesn't change how long it is retained.
    package var sessionRetention = SessionSettings().retention

    /// How long sessions last without being used, or `nil` if there is no limit.
    ///
    /// Sessions that were created before there was this limit are changed accordingly.
    package var idleLifespan: Duration?

    /// How long messages are retained after they have been sent or abandoned.
    package var messageRetention = CourierSettings().retention

    /// How long audit events are retained.
    ///
    /// If this is zero, audit events are retained indefinitely.
    package var auditRetention = AuditSettings().retention

    /// Creates options with their default values.
    package init() {}

    /// Creates options with the given retention periods.
    ///
    /// - Parameters:
    ///   - sessions: The settings for sessions.
    ///   - messages: How long messages are retained after they have been sent or abandoned.
    ///   - audit: How long audit events are retained. If this is zero, audit events are retained
    ///     indefinitely.
    package init(sessions: SessionSettings, messages: Duration, audit: Duration) {
        sessionRetention = sessions.retention
        idleLifespan = sessions.idleLifespan
        messageRetention = messages
        auditRetention = audit
    }
}
