extension Migration {
    /// The form of a flow in few bytes, and an index of the flows that expire unfinished.
    static let bounds = Migration(
        version: 12,
        name: "bounds",
        sqlite: ["ALTER TABLE flows ADD COLUMN form BLOB"] + sharedBounds,
        postgreSQL: ["ALTER TABLE flows ADD COLUMN form BYTEA"] + sharedBounds
    )

    /// The statements that both databases understand.
    private static let sharedBounds: [StaticString] = [
        """
        CREATE INDEX flows_unfinished ON flows (expires_at)
        WHERE identity_id IS NULL AND completed_at IS NULL
        """
    ]
}
