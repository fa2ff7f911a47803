import LatchkeyServerKit

extension Migration {
    /// Adds columns for compact forms and proven addresses to the flows table, and an index for cleaning up
    /// unfinished flows.
    static let bounds = Migration(
        version: 12,
        name: "bounds",
        sqlite: ["ALTER TABLE flows ADD COLUMN form BLOB", "ALTER TABLE flows ADD COLUMN proven TEXT"]
            + sharedBounds,
        postgreSQL: [
            "ALTER TABLE flows ADD COLUMN form BYTEA",
            #"ALTER TABLE flows ADD COLUMN proven TEXT COLLATE "C""#,
        ] + sharedBounds
    )

    /// The statements that are the same for SQLite and PostgreSQL.
    private static let sharedBounds: [SQL] = [
        """
        CREATE INDEX flows_unfinished ON flows (expires_at)
        WHERE identity_id IS NULL AND completed_at IS NULL
        """
    ]
}
