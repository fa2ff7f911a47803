import LatchkeyServerKit

extension Migration {
    /// Creates the tables for identities, sessions, certificates, clients, rate limits and the audit log.
    static let accounts = Migration(
        version: 3,
        name: "accounts",
        sqlite: accountTablesInSQLite + accountIndexes + [
            """
            CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
            BEGIN SELECT RAISE(ABORT, 'the audit log is not changed'); END
            """
        ],
        postgreSQL: accountTablesInPostgreSQL + accountIndexes + [
            """
            CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'the audit log is not changed'; END $$
            """,
            "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stays()",
        ]
    )

    private static let accountIndexes: [SQL] = [
        "CREATE UNIQUE INDEX identities_external ON identities (external_id)",
        "CREATE INDEX identities_duties ON identities (id) WHERE duties IS NOT NULL",
        "CREATE INDEX identities_deletion ON identities (deletion_at) WHERE deletion_at IS NOT NULL",
        """
        CREATE INDEX identities_lapse ON identities (lapses_at)
        WHERE lapses_at > 0 AND confirmed_at IS NULL
        """,
        "CREATE INDEX identifiers_identity ON identifiers (identity_id)",
        "CREATE UNIQUE INDEX addresses_value ON addresses (kind, via, value)",
        "CREATE INDEX addresses_identity ON addresses (identity_id)",
        "CREATE UNIQUE INDEX address_states_proven ON address_states (via, value) WHERE state = 'proven'",
        "CREATE UNIQUE INDEX sessions_id ON sessions (id)",
        "CREATE INDEX sessions_identity ON sessions (identity_id, id)",
        "CREATE INDEX sessions_expiry ON sessions (expires_at)",
        "CREATE INDEX sessions_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL",
        "CREATE INDEX replaced_tokens_session ON replaced_tokens (session_id)",
        "CREATE INDEX certificates_session ON certificates (session_id)",
        "CREATE INDEX certificates_identity ON certificates (identity_id)",
        "CREATE INDEX client_origins_client ON client_origins (client_id)",
        "CREATE INDEX limits_expiry ON limits (expires_at)",
        "CREATE INDEX audit_identity ON audit (identity_id, happened_at, id)",
    ]
}
