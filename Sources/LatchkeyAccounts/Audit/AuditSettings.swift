package import LatchkeyServerKit

/// Settings for the audit log.
public struct AuditSettings: Sendable {
    /// How long audit events are retained.
    ///
    /// If the value is zero, events are retained indefinitely.
    ///
    /// The maximum is 3660 days. Events of deleted accounts are retained for just as long.
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
