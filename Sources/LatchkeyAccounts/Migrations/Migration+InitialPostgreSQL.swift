import LatchkeyServerKit

extension Migration {
    /// The statements that create the tables of ``initial`` in PostgreSQL.
    static let initialForPostgreSQL: [SQL] = [
        """
        CREATE TABLE identities (
            id BYTEA PRIMARY KEY,
            schema_id TEXT COLLATE "C" NOT NULL,
            state TEXT COLLATE "C" NOT NULL,
            traits BYTEA NOT NULL,
            body BYTEA NOT NULL,
            state_changed_at BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE identifiers (
            identifier TEXT COLLATE "C" PRIMARY KEY,
            identity_id BYTEA NOT NULL REFERENCES identities (id)
        )
        """,
        "CREATE INDEX identifiers_identity ON identifiers (identity_id)",
        """
        CREATE TABLE passwords (
            identity_id BYTEA PRIMARY KEY REFERENCES identities (id),
            hash TEXT COLLATE "C" NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE addresses (
            id BYTEA PRIMARY KEY,
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            kind TEXT COLLATE "C" NOT NULL,
            via TEXT COLLATE "C" NOT NULL,
            value TEXT COLLATE "C" NOT NULL,
            verified BIGINT NOT NULL,
            status TEXT COLLATE "C" NOT NULL,
            verified_at BIGINT,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX addresses_value ON addresses (kind, via, value)",
        "CREATE INDEX addresses_identity ON addresses (identity_id)",
        """
        CREATE TABLE flows (
            id BYTEA PRIMARY KEY,
            kind TEXT COLLATE "C" NOT NULL,
            schema_id TEXT COLLATE "C" NOT NULL,
            state TEXT COLLATE "C" NOT NULL,
            request_url TEXT COLLATE "C" NOT NULL,
            return_to TEXT COLLATE "C",
            active TEXT COLLATE "C",
            ui BYTEA,
            refresh BIGINT NOT NULL,
            aal TEXT COLLATE "C" NOT NULL,
            identity_id BYTEA,
            verified_phone TEXT COLLATE "C",
            issued_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            completed_at BIGINT,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX flows_expiry ON flows (expires_at)",
        """
        CREATE TABLE phone_codes (
            flow_id BYTEA PRIMARY KEY,
            phone TEXT COLLATE "C" NOT NULL,
            code_mac BYTEA NOT NULL,
            attempts BIGINT NOT NULL,
            issued_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            used_at BIGINT
        )
        """,
        "CREATE INDEX phone_codes_expiry ON phone_codes (expires_at)",
        """
        CREATE TABLE sessions (
            token_hash BYTEA PRIMARY KEY,
            id BYTEA NOT NULL,
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            method TEXT COLLATE "C" NOT NULL,
            issued_at BIGINT NOT NULL,
            authenticated_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            needs_certificate BIGINT NOT NULL,
            device_id BYTEA NOT NULL,
            ip_address TEXT COLLATE "C" NOT NULL,
            user_agent TEXT COLLATE "C" NOT NULL,
            revoked_at BIGINT
        )
        """,
        "CREATE UNIQUE INDEX sessions_id ON sessions (id)",
        "CREATE INDEX sessions_identity ON sessions (identity_id)",
        "CREATE INDEX sessions_expiry ON sessions (expires_at)",
        """
        CREATE TABLE certificates (
            serial BYTEA PRIMARY KEY,
            session_id BYTEA NOT NULL,
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            key_thumbprint BYTEA NOT NULL,
            issued_at BIGINT NOT NULL,
            not_after BIGINT NOT NULL,
            revoked_at BIGINT
        )
        """,
        "CREATE INDEX certificates_session ON certificates (session_id)",
        "CREATE INDEX certificates_identity ON certificates (identity_id)",
        """
        CREATE TABLE messages (
            id BYTEA PRIMARY KEY,
            channel TEXT COLLATE "C" NOT NULL,
            template TEXT COLLATE "C" NOT NULL,
            sealed BYTEA,
            status TEXT COLLATE "C" NOT NULL,
            attempts BIGINT NOT NULL,
            due_at BIGINT NOT NULL,
            leased_until BIGINT NOT NULL,
            last_error TEXT COLLATE "C",
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX messages_due ON messages (status, due_at)",
        """
        CREATE TABLE limits (
            bucket BYTEA PRIMARY KEY,
            stamps BYTEA NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX limits_expiry ON limits (expires_at)",
    ]
}
