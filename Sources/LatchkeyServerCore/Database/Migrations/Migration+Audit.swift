extension Migration {
    /// Who did what to which account; no reference to the account, which the rows outlive.
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
        ]
    )
}
