import LatchkeyServerKit

extension Migration {
    /// Adds the version and metadata of identities, the order of addresses, and indexes for listing and
    /// deletion.
    static let identities = Migration(
        version: 3,
        name: "identities",
        sqlite: [
            "ALTER TABLE identities ADD COLUMN version INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE identities ADD COLUMN metadata_public BLOB",
            "ALTER TABLE identities ADD COLUMN metadata_admin BLOB",
            "ALTER TABLE identities ADD COLUMN external_id TEXT",
            "CREATE UNIQUE INDEX identities_external ON identities (external_id)",
            "ALTER TABLE passwords ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0",
            "UPDATE passwords SET created_at = updated_at",
            "ALTER TABLE addresses ADD COLUMN position INTEGER NOT NULL DEFAULT 0",
            // Until now, the order of the addresses was only visible in the identity's JSON.
            """
            UPDATE addresses SET position = (SELECT n FROM (
                SELECT a.id AS id, row_number() OVER (PARTITION BY a.kind ORDER BY instr(
                    CAST(i.body AS TEXT), lower(
                        substr(hex(a.id), 1, 8) || '-' || substr(hex(a.id), 9, 4) || '-'
                        || substr(hex(a.id), 13, 4) || '-' || substr(hex(a.id), 17, 4) || '-'
                        || substr(hex(a.id), 21)))) - 1 AS n
                FROM addresses a JOIN identities i ON i.id = a.identity_id
                WHERE a.identity_id = addresses.identity_id) WHERE id = addresses.id)
            """,
            "CREATE INDEX flows_identity ON flows (identity_id) WHERE identity_id IS NOT NULL",
            "DROP INDEX sessions_identity",
            "CREATE INDEX sessions_identity ON sessions (identity_id, id)",
        ],
        // There are no PostgreSQL databases from before this migration, so there are no rows to convert.
        postgreSQL: [
            "ALTER TABLE identities ADD COLUMN version BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE identities ADD COLUMN metadata_public BYTEA",
            "ALTER TABLE identities ADD COLUMN metadata_admin BYTEA",
            #"ALTER TABLE identities ADD COLUMN external_id TEXT COLLATE "C""#,
            "CREATE UNIQUE INDEX identities_external ON identities (external_id)",
            "ALTER TABLE passwords ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE addresses ADD COLUMN position BIGINT NOT NULL DEFAULT 0",
            "CREATE INDEX flows_identity ON flows (identity_id) WHERE identity_id IS NOT NULL",
            "DROP INDEX sessions_identity",
            "CREATE INDEX sessions_identity ON sessions (identity_id, id)",
        ]
    )
}
