import LatchkeyServerKit

extension Migration {
    /// Renames the column that contains the audited action.
    ///
    /// The stored events aren't modified.
    static let auditActions = Migration(
        version: 14,
        name: "audit actions",
        sqlite: sharedAuditActions,
        postgreSQL: sharedAuditActions
    )

    /// The statements that are the same in both dialects.
    private static let sharedAuditActions: [SQL] = [
        "ALTER TABLE audit RENAME COLUMN deed TO action"
    ]
}
