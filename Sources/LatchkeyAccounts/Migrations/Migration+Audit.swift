import LatchkeyServerKit

extension Migration {
    /// Creates the audit log, whose rows can't be updated.
    ///
    /// The table has no foreign key to identities, because events are kept when an account is deleted.
    static let audit = Migration(
        version: 4,
        name: "audit",
        sqlite: [
            """
            CREATE TABLE audit (
                happened_at INTEGER NOT NULL,
                id BLOB NOT NULL,
                identity_id BLOB NOT NULL,
                actor TEXT NOT NULL,
                deed TEXT NOT NULL,
                subject TEXT,
                address TEXT,
                request_id TEXT,
                PRIMARY KEY (happened_at, id)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX audit_identity ON audit (identity_id, happened_at, id)",
            """
            CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
            BEGIN SELECT RAISE(ABORT, 'the audit log is not changed'); END
            """,
        ],
        postgreSQL: [
            """
            CREATE TABLE audit (
                happened_at BIGINT NOT NULL,
                id BYTEA NOT NULL,
                identity_id BYTEA NOT NULL,
                actor TEXT COLLATE "C" NOT NULL,
                deed TEXT COLLATE "C" NOT NULL,
                subject TEXT COLLATE "C",
                address TEXT COLLATE "C",
                request_id TEXT COLLATE "C",
                PRIMARY KEY (happened_at, id)
            )
            """,
            "CREATE INDEX audit_identity ON audit (identity_id, happened_at, id)",
            """
            CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'the audit log is not changed'; END $$
            """,
            "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stays()",
        ]
    )
}
