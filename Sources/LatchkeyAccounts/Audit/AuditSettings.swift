package import LatchkeyServerKit

/// The settings that determine how long audit events are retained.
public struct AuditSettings: Sendable {
    /// The retention period of audit events; zero retains them indefinitely.
    ///
    /// The value must be at most 3660 days. Events for a deleted account are retained for the same period.
    public var retention: Duration = .seconds(400 * 86_400)

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for the audit log.
    package static let settings: [Setting<AuditSettings>] = [
        Setting(
            "audit.retention",
            member: \.retention,
            kind: .duration(.zero ... .seconds(3660 * 86_400)),
            summary: "How long audit events are retained; 0s retains them indefinitely."
        )
    ]
}
